"""Plain Python with the decimal module, nothing else: numbers of any precision with first derivatives, nodes and
coefficients of quadratures, linear systems and Newton's method. Written apart from the program, to check it."""

from decimal import Decimal as D, InvalidOperation, getcontext

DIGITS = 50
getcontext().prec = DIGITS + 15  # guard digits; differences for Jacobians are taken at half of them
TINY = D(10) ** -(DIGITS // 2)
DONE = D(10) ** -(DIGITS - 5)


def pi():
    """Machin's formula."""
    def arctan_inverse(n):
        total, power, k = D(0), D(1) / n, 0
        while power > D(10) ** -(DIGITS + 12):
            total += power / (2 * k + 1) * (-1) ** k
            power /= n * n
            k += 1
        return total
    return 4 * (4 * arctan_inverse(5) - arctan_inverse(239))


PI = pi()


def sine_and_cosine(x):
    """Taylor series after the argument was brought into [-pi, pi] and divided by 2^10."""
    x = x - (x / (2 * PI)).to_integral_value() * 2 * PI
    x /= 1024
    s, c, term, k = D(0), D(0), D(1), 0
    while abs(term) > D(10) ** -(DIGITS + 20):
        if k % 2 == 0:
            c += term * (-1) ** (k // 2)
        else:
            s += term * (-1) ** (k // 2)
        k += 1
        term = term * x / k
    for _ in range(10):
        s, c = 2 * s * c, c * c - s * s
    return s, c


class Dual:
    """A number with its gradient."""

    def __init__(self, value, gradient):
        self.value, self.gradient = value, gradient

    @staticmethod
    def of(x, size):
        return x if isinstance(x, Dual) else Dual(D(x), [D(0)] * size)

    def chain(self, value, slope):
        return Dual(value, [slope * g for g in self.gradient])

    def __add__(self, other):
        other = Dual.of(other, len(self.gradient))
        return Dual(self.value + other.value, [a + b for a, b in zip(self.gradient, other.gradient)])

    def __mul__(self, other):
        other = Dual.of(other, len(self.gradient))
        return Dual(self.value * other.value,
                    [a * other.value + self.value * b for a, b in zip(self.gradient, other.gradient)])

    def __truediv__(self, other):
        other = Dual.of(other, len(self.gradient))
        return self * other.chain(1 / other.value, -1 / other.value ** 2)

    def __neg__(self):
        return self.chain(-self.value, D(-1))

    def __sub__(self, other):
        return self + -Dual.of(other, len(self.gradient))

    def __rsub__(self, other):
        return -self + other

    def __rtruediv__(self, other):
        return Dual.of(other, len(self.gradient)) / self

    def __pow__(self, n):
        return self.chain(self.value ** n, n * self.value ** (n - 1))

    __radd__, __rmul__ = __add__, __mul__


def sin(x):
    s, c = sine_and_cosine(x.value if isinstance(x, Dual) else D(x))
    return x.chain(s, c) if isinstance(x, Dual) else s


def cos(x):
    s, c = sine_and_cosine(x.value if isinstance(x, Dual) else D(x))
    return x.chain(c, -s) if isinstance(x, Dual) else c


def sqrt(x):
    if not isinstance(x, Dual):
        return D(x).sqrt()
    root = x.value.sqrt()
    return x.chain(root, 1 / (2 * root))


def number(text):
    """"3/5", "sqrt(3)/2", "0.1": decimals and fractions as they are written."""
    try:
        return D(text)
    except InvalidOperation:
        return eval("D(1)*" + text, {"sqrt": sqrt, "D": D})


def solve(matrix, right):
    """Gauss with the largest pivot."""
    rows = [list(row) + [b] for row, b in zip(matrix, right)]
    n = len(rows)
    for i in range(n):
        pivot = max(range(i, n), key=lambda r: abs(rows[r][i]))
        rows[i], rows[pivot] = rows[pivot], rows[i]
        for r in range(i + 1, n):
            factor = rows[r][i] / rows[i][i]
            if factor != 0:
                rows[r] = [a - factor * b for a, b in zip(rows[r], rows[i])]
    x = [D(0)] * n
    for i in reversed(range(n)):
        x[i] = (rows[i][n] - sum(rows[i][j] * x[j] for j in range(i + 1, n))) / rows[i][i]
    return x


def newton(function, x, most=60):
    """Solves function(x) = 0 to all digits; the Jacobian is made by differences, once, and again where that is slow."""
    jacobian, before = None, None
    for _ in range(most):
        residual = function(x)
        if jacobian is None:
            columns = []
            for j in range(len(x)):
                moved = list(x)
                moved[j] += TINY
                columns.append([(a - b) / TINY for a, b in zip(function(moved), residual)])
            jacobian = [list(row) for row in zip(*columns)]
        correction = solve(jacobian, residual)
        x = [a - b for a, b in zip(x, correction)]
        size = max(abs(c) for c in correction)
        if size < DONE:
            return x
        if before is not None and size > before / 1000:
            jacobian = None
        before = size
    raise ArithmeticError("no convergence")


def legendre(n, x):
    """P_n and P_n'."""
    before, now = D(1), x
    if n == 0:
        return D(1), D(0)
    for k in range(1, n):
        before, now = now, ((2 * k + 1) * x * now - k * before) / (k + 1)
    return now, n * (before - x * now) / (1 - x * x)


def roots(function, count):
    """The simple roots in (-1, 1), by bisection between the signs of a fine grid."""
    grid = [D(-1) + D(2) * i / 4000 + D("1e-9") for i in range(4000)]
    found = []
    for a, b in zip(grid, grid[1:]):
        if function(a) * function(b) > 0:
            continue
        for _ in range(200):
            middle = (a + b) / 2
            if function(a) * function(middle) <= 0:
                b = middle
            else:
                a = middle
        found.append((a + b) / 2)
    assert len(found) == count, (len(found), count)
    return found


def gauss_nodes(s):
    return [(1 + x) / 2 for x in roots(lambda x: legendre(s, x)[0], s)]


def lobatto_nodes(s):
    inner = roots(lambda x: legendre(s - 1, x)[1], s - 2) if s > 2 else []
    return [D(0)] + [(1 + x) / 2 for x in inner] + [D(1)]


def radau_nodes(s):
    inner = roots(lambda x: legendre(s, x)[0] - legendre(s - 1, x)[0], s - 1) if s > 1 else []
    return [(1 + x) / 2 for x in inner] + [D(1)]


def integrals(nodes, to):
    """sum_j a_ij f(c_j) is the integral from 0 to to_i of the polynomial through the f(c_j)."""
    n = len(nodes)
    power = lambda x, k: D(1) if k == 0 else x ** k
    vandermonde = [[power(c, k) for c in nodes] for k in range(n)]
    return [solve(vandermonde, [power(x, k + 1) / (k + 1) for k in range(n)]) for x in to]
