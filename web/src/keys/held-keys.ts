import { addKey, isTyped, toHeldKey } from './held-key.ts';
import { isComposing } from './is-composing.ts';
import type { HeldKey, press as pressKey } from './press-again.ts';

/** Maximum time for which keys are held. If their receiver has not appeared by then, it failed to load. */
const longestMs = 30_000;
/** Maximum number of held keys, because a key that is held down repeats. */
const maxKeys = 1_000;
/** Time without a key after which the text for an entry that could not be loaded has ended. */
const pauseMs = 1_000;
/** Maximum time for which that text is dropped. */
const longestTextMs = 5_000;
/** Number of frames to wait for an opened menu or dialog to take the focus. */
const maxFrames = 60;

/** Keys pressed since a field, menu or dialog was requested. */
interface Held {
  readonly keys: HeldKey[];
  /** Number of keys at the beginning that were typed for a field that could not be loaded. */
  readonly typedBefore: number;
  end: ReturnType<typeof setTimeout>;
  /** The field, menu or dialog in which the keys are being pressed again. */
  receiver: Element | undefined;
}

/** Undefined: no field, menu or dialog is pending. */
let held: Held | undefined;
/**
 * Name of the field that gets the keys. The tab keeps what is typed for a named field until the field has received it.
 */
let place: string | undefined;
/** State of the keys for an entry, as long as none of them has opened a part of the page. */
let entryKeys: 'held' | 'dropped' | undefined;
/** Time at which keys act again after an entry could not be loaded, in milliseconds of `performance.now()`. */
let dropsUntil = 0;
const prefix = 'logbook.typed.';
/** The code that presses keys again, loaded when some are held. */
let press: typeof pressKey | undefined;
/** Whether a key is being pressed again. */
let isPressing = false;

/**
 * Elements on which a click shows that the user has moved on. After a click on a link, the page it leads to decides.
 */
const movingOn = 'button, input, textarea, [contenteditable], [role]';
/** Handlers of the events that do not reach the page while keys are held. */
const handlers: Readonly<Record<string, unknown>> = {
  keydown: hold,
  paste: holdPaste,
  pointerdown: finishBeforeClick,
  beforeinput: holdInput,
  pagehide: finish,
};

/**
 * Keeps what is typed from now on for a field, a menu or a dialog that is still being loaded, so that it is neither
 * lost nor taken for shortcuts. A field that appears calls `giveKeysTo` with itself; menus and dialogs call
 * `giveKeysWithin` with their selector. If `name` is not empty, the field also gets what was typed for it when it could
 * not be loaded.
 */
export function holdKeys(name?: string): void {
  // The keys for an entry are only for what the first of them opens.
  if (entryKeys && !held?.receiver) end();
  if (held) {
    if (entryKeys) held.receiver = undefined;
    entryKeys = undefined;
    place = name ?? place;
    return;
  }
  place = name;
  void load();
  const keys = [...readTyped(name)];
  writeTyped('');
  held = { keys, typedBefore: keys.length, end: setTimeout(end, longestMs), receiver: undefined };
  for (const [type, handler] of Object.entries(handlers))
    addEventListener(type, handler as EventListener, { capture: true });
}

/**
 * Holds what is typed from now on for a field of the page that is still being loaded, even while keys are pressed in
 * another field.
 */
export function awaitField(name: string): void {
  holdKeys(held ? undefined : name);
  if (held) held.receiver = undefined;
}

/** Holds this key and those that follow until the entry for which they are pressed is shown. */
export function holdForEntry(event: KeyboardEvent): void {
  // Keys that already wait for the entry stay.
  if (entryKeys !== 'held' || held?.receiver) holdKeys();
  if (held) held.receiver = undefined;
  entryKeys = 'held';
  const key = new KeyboardEvent('keydown', event);
  // A held key that is being pressed again returns to the front: the others follow it.
  if (isPressing) held?.keys.unshift(key);
  else push(key);
  event.preventDefault();
}

/** Presses the keys that were held for an entry. The remaining ones are held for the field that one of them opens. */
export function giveKeysToEntry(): void {
  if (entryKeys === 'held') receive(document.documentElement);
}

/** Drops the keys that wait for an entry, and holds no more. Keys that are being pressed again are kept. */
export function forgetEntryKeys(): void {
  if (entryKeys !== 'held' || held?.receiver) return;
  held?.keys.splice(0);
  end();
}

/** Drops the keys that were held for an entry, and the rest of its text. */
export function dropEntryKeys(): void {
  if (!held || entryKeys !== 'held') return;
  entryKeys = 'dropped';
  dropsUntil = performance.now() + longestTextMs;
  held.keys.splice(0);
  push('');
}

/** Whether what is typed is held. */
export function areKeysHeld(): boolean {
  return held !== undefined;
}

/** Whether text was typed, or is expected, for a field that has not been loaded. */
export function isFieldMissing(): boolean {
  return held ? Boolean(place) && !held.receiver : readTyped(place) !== '';
}

/** Returns what was typed for a place when it could not be loaded. */
export function readTyped(name: string | undefined): string {
  try {
    return (name && sessionStorage.getItem(prefix + name)) || '';
  } catch {
    return '';
  }
}

/** Stores what is typed for the place that could not be loaded. */
export function writeTyped(text: string): void {
  try {
    if (place) sessionStorage.setItem(prefix + place, text);
  } catch {
    // The page still shows the text.
  }
}

/** Ends `holdKeys` unless there is a receiver, which then gets all remaining keys, or the keys are for an entry. */
export function keepKeys(): void {
  if (!held?.receiver && !entryKeys) end();
}

/** Ends `holdKeys` where nothing can be typed. */
export function dropKeys(): void {
  if (!held?.receiver) held?.keys.splice(held.typedBefore);
  keepKeys();
}

function end(): void {
  const text = held?.receiver ? '' : held?.keys.reduce(addKey, '');
  if (text) writeTyped(text);
  for (const [type, handler] of Object.entries(handlers))
    removeEventListener(type, handler as EventListener, { capture: true });
  clearTimeout(held?.end);
  held = undefined;
  entryKeys = undefined;
}

/** Focuses a field, and types into it what was typed since the user asked for it. */
export function giveKeysTo(field: HTMLElement): void {
  field.focus();
  // The keys may no longer be held, but text that was typed earlier may still wait for the field.
  if (!held && place) holdKeys(place);
  receive(field);
}

/** Presses the held keys again, once the focus is within an element with this selector. */
export function giveKeysWithin(selector: string, framesLeft = maxFrames): void {
  if (!held) return;
  const opened = document.activeElement?.closest(selector);
  if (opened) receive(opened);
  else if (framesLeft === 0) keepKeys();
  else requestAnimationFrame(() => giveKeysWithin(selector, framesLeft - 1));
}

function hold(event: KeyboardEvent): void {
  // Untrusted events are those that `pressAgain` dispatches.
  if (!event.isTrusted) return;
  // An input method writes into the field itself, and Escape may leave it.
  const isForField = isComposing(event) || (event.key === 'Escape' && held?.receiver !== undefined);
  const key = isForField ? undefined : toHeldKey(event);
  if (isForField && held?.receiver) finish();
  if (key === undefined) return;
  if (entryKeys === 'dropped' && !isTyped(event)) {
    end();
    return;
  }
  if (event.key === 'Escape') forgetEntryKeys();
  push(key);
  event.preventDefault();
  event.stopImmediatePropagation();
}

function holdPaste(event: ClipboardEvent): void {
  const { clipboardData, isTrusted } = event;
  if (!clipboardData || !isTrusted) return;
  // Clipboard data can only be read during the event.
  const copy = new DataTransfer();
  for (const type of ['text/plain', 'text/html']) {
    const text = clipboardData.getData(type);
    if (text !== '') copy.setData(type, text);
  }
  for (const file of clipboardData.files) copy.items.add(file);
  const paste = new ClipboardEvent('paste', { bubbles: true, cancelable: true });
  // Firefox ignores the data that are given to the constructor.
  push(Object.defineProperty(paste, 'clipboardData', { value: copy }));
  event.preventDefault();
  event.stopImmediatePropagation();
}

/** Holds text that comes without a key, for example from an emoji picker. */
function holdInput(event: InputEvent): void {
  // WebKit also sends this event, as a trusted one, for the text of a key that is pressed again.
  if (isPressing || !event.isTrusted || event.inputType !== 'insertText' || event.data === null) return;
  push(event.data);
  event.preventDefault();
}

function push(key: HeldKey): void {
  if (held && entryKeys === 'dropped') {
    clearTimeout(held.end);
    held.end = setTimeout(end, Math.min(pauseMs, dropsUntil - performance.now()));
  } else if (held && held.keys.length < maxKeys) held.keys.push(key);
}

function receive(element: Element): void {
  if (!held) return;
  const hasReceiver = held.receiver !== undefined;
  held.receiver = element;
  if (!hasReceiver) void pressAgain(held);
}

/** Presses the keys, and those that are pressed in the meantime. */
async function pressAgain(of: Held): Promise<void> {
  if (of.keys.length > 0) await load();
  while (held === of && pressNext(of)) {
    // Let the page react to each key before the next one, as if the user pressed it.
    await new Promise((resolve) => setTimeout(resolve));
  }
  if (held === of && of.receiver) end();
}

function finishBeforeClick({ target }: Event): void {
  if (held?.receiver || entryKeys === 'dropped' || (target as Element).closest(movingOn)) finish();
}

/** Immediately presses the remaining keys if their receiver exists: the user has finished writing. */
function finish(): void {
  while (held && pressNext(held));
  end();
}

/** Returns false after the last key, or if the focus has left the receiver for another element, which then keeps it. */
function pressNext(from: Held): boolean {
  const target = document.activeElement;
  if (!from.receiver?.contains(target)) return false;
  const key = from.keys.shift();
  if (key === undefined) return false;
  isPressing = true;
  try {
    const next = press?.(target as HTMLElement, key);
    // If that code could not be loaded, at least the text is written.
    if (!press && typeof key === 'string') document.execCommand('insertText', false, key);
    if (next && !from.receiver.contains(next)) from.receiver = next;
  } finally {
    isPressing = false;
  }
  return true;
}

/** Loads the code that presses keys again. A failed attempt is repeated the next time. */
async function load(): Promise<void> {
  press ??= await import('./press-again.ts').then(
    (loaded) => loaded.press,
    () => undefined,
  );
}
