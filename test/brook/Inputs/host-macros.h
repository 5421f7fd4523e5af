#define SWAP3(a, b, c) (c = a, a = b, b = c)
