/** Returns the keys as `shortcuts` names them. */
export function pressedKeys(event: KeyboardEvent): string {
  const key = event.key.length === 1 ? event.key.toUpperCase() : event.key;
  const isLetter = /^\p{L}$/u.test(key);
  const parts = [
    (event.ctrlKey || event.metaKey) && 'Mod',
    event.altKey && 'Alt',
    // The shift of `?` belongs to the key itself.
    event.shiftKey && (isLetter || event.key.length > 1) && 'Shift',
    key,
  ];
  return parts.filter(Boolean).join(' ');
}
