const storedName = 'logbook.alerted';
const maxKept = 50;

let known: readonly number[] = [];

/** Returns whether no tab of this browser has announced the entry yet, and records that one does now. */
export function claimAlert(id: number): boolean {
  known = [...new Set([...readStored(), ...known])];
  if (known.includes(id)) return false;
  known = [...known, id].slice(-maxKept);
  try {
    localStorage.setItem(storedName, JSON.stringify(known));
  } catch {
    // Storage is switched off: each tab announces it.
  }
  return true;
}

function readStored(): readonly number[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(storedName) ?? '[]');
    return Array.isArray(stored) ? stored.filter((id): id is number => typeof id === 'number') : [];
  } catch {
    return [];
  }
}
