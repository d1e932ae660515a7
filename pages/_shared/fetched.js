// Fetched data by digest: the `most` last used stay in `kept`.
function fetchOnce(kept, most, digest, attempt) {
  const found =
    kept.get(digest) ??
    persistently(attempt).catch((error) => {
      kept.delete(digest);
      throw error;
    });
  kept.delete(digest); // so that the map stays in order of last use
  kept.set(digest, found);
  while (kept.size > most) kept.delete(kept.keys().next().value);
  return found;
}
