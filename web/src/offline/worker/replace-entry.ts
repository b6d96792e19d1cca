/** Maximum length of an excerpt in a list. */
const snippetLength = 300;

type Json = Readonly<Record<string, unknown>>;

/**
 * Puts the current state of an entry into a stored list or thread, so that nothing that was removed from the entry
 * stays there.
 * @returns undefined if the answer is not a list with the entry
 */
export function replaceEntry(answer: string, entry: Json): string | undefined {
  const page = JSON.parse(answer) as { readonly logs?: unknown };
  if (!Array.isArray(page.logs)) return undefined;
  const logs = page.logs as Json[];
  if (!logs.some(({ id }) => id === entry.id)) return undefined;
  return JSON.stringify({ ...page, logs: logs.map((hit) => (hit.id === entry.id ? toHit(hit, entry) : hit)) });
}

function toHit(hit: Json, entry: Json): Json {
  const place = 'thread' in hit ? { thread: hit.thread } : {};
  if ('source' in hit) return { ...entry, ...place };
  const { source: _, description, ...rest } = entry;
  return { ...rest, snippet: String(description ?? '').slice(0, snippetLength), ...place };
}
