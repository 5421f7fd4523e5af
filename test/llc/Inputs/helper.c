int helper(int i)
{
    if (i = i + 0)
        return i;
    return 0;
}
