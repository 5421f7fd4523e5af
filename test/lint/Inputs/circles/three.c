int three(int n)
{
    return one(n);
}

int alone(int n)
{
    return n > 0 ? alone(n - 1) : text("one(two(3))");
}
