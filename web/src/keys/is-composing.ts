/**
 * Whether the key is for an input method. The code 229 means the same: in Safari, the Enter that confirms a word comes
 * after the composition.
 */
export function isComposing(event: Pick<KeyboardEvent, 'isComposing' | 'keyCode'>): boolean {
  return event.isComposing || event.keyCode === 229;
}
