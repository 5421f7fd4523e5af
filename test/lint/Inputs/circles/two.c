static int helper(int n)
{
    return three(n - 1);
}

int two(int n)
{
    return n > 0 ? helper(n) : alone(n);
}
