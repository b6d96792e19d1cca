const storedName = 'logbook.lastLogbooks';

/** The logbooks of the last entry that was sent from this browser; empty when there is none. */
export function lastLogbooks(): readonly string[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(storedName) ?? '[]');
    return Array.isArray(stored) ? stored.filter((name) => typeof name === 'string') : [];
  } catch {
    return [];
  }
}

export function rememberLogbooks(names: readonly string[]): void {
  try {
    localStorage.setItem(storedName, JSON.stringify(names));
  } catch {
    // Storage is switched off.
  }
}
