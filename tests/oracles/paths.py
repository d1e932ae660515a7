"""Every way to cover vertices of a graph by connected triples, one after the other."""


def covers(edges, must, may):
    """Each way to put every vertex of `must` in one triple, and those of `may` in at most one, as lists of triples."""
    known = set(must) | set(may)
    near = {vertex: set() for vertex in known}
    for one, other in edges:
        if one in known and other in known:
            near[one].add(other)
            near[other].add(one)
    triples = {
        frozenset((middle, one, other))
        for middle in known
        for one in near[middle]
        for other in near[middle]
        if one != other
    }
    holding = {vertex: [triple for triple in triples if vertex in triple] for vertex in known}

    def rest(left, used):
        if not left:
            yield []
            return
        fits = {vertex: [triple for triple in holding[vertex] if not triple & used] for vertex in left}
        for triple in min(fits.values(), key=len):
            for more in rest(left - triple, used | triple):
                yield [triple, *more]

    return rest(frozenset(must), frozenset())
