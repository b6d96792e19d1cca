const storedName = 'logbook.alerted';
/** Maximum number of stored claims: up to two for each entry. */
const maxKept = 100;

let known: readonly string[] = [];

/**
 * Records that this tab announces the entry in this way. Returns false if a tab of this browser has already announced
 * it.
 */
export function claimAlert(way: 'sound' | 'notice', id: number): boolean {
  const name = `${way} ${id}`;
  known = [...new Set([...readStored(), ...known])];
  if (known.includes(name)) return false;
  known = [...known, name].slice(-maxKept);
  try {
    localStorage.setItem(storedName, JSON.stringify(known));
  } catch {
    // With storage switched off, each tab announces it.
  }
  return true;
}

function readStored(): readonly string[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(storedName) ?? '[]');
    return Array.isArray(stored) ? stored.filter((name) => typeof name === 'string') : [];
  } catch {
    return [];
  }
}
