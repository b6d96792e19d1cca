const storedName = 'logbook.alerted';
/** Two for each entry. */
const maxKept = 100;

let known: readonly string[] = [];

/** Returns whether no tab of this browser has announced the entry in that way yet, and records that one does now. */
export function claimAlert(way: 'sound' | 'notice', id: number): boolean {
  const name = `${way} ${id}`;
  known = [...new Set([...readStored(), ...known])];
  if (known.includes(name)) return false;
  known = [...known, name].slice(-maxKept);
  try {
    localStorage.setItem(storedName, JSON.stringify(known));
  } catch {
    // Storage is switched off: each tab announces it.
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
