int P_triple(int x);
int P_triple(int x)
{
    return 3 * x;
}
