import { useLayoutEffect, useRef } from 'react';
import { readSettings } from '../settings/settings.ts';
import { isEntryAwaited } from './awaited-entry.ts';
import { holdForEntry } from './held-keys.ts';
import { pressedKeys } from './pressed-keys.ts';
import { type ShortcutName, shortcuts } from './shortcuts.ts';

/** Returns false when it does nothing now; the next handler of the same keys is then called. */
type Handler = (event: KeyboardEvent) => unknown;

/** The handlers of each shortcut; the newest first, so that the topmost component handles it. */
const handlers = new Map<ShortcutName, Handler[]>();
const sequenceMs = 1_200;
let firstKey: { readonly key: string; readonly at: number } | undefined;

/** Runs the handler when the keys of the shortcut are pressed, as long as the component is mounted and `isOn`. */
export function useShortcut(name: ShortcutName, handler: Handler, isOn = true): void {
  const latest = useRef(handler);
  latest.current = handler;
  // A layout effect, so that the keys work before the user can see what they do.
  useLayoutEffect(() => {
    if (!isOn) return undefined;
    const run: Handler = (event) => latest.current(event);
    handlers.set(name, [run, ...(handlers.get(name) ?? [])]);
    return () => {
      handlers.set(
        name,
        (handlers.get(name) ?? []).filter((one) => one !== run),
      );
    };
  }, [name, isOn]);
}

/** Runs a shortcut as if its keys were pressed; returns false if nothing handles it now. */
export function runShortcut(name: ShortcutName, event = new KeyboardEvent('keydown')): boolean {
  return (handlers.get(name) ?? []).some((handler) => handler(event) !== false);
}

/** Whether something takes the shortcut now. */
export function isShortcutTaken(name: ShortcutName): boolean {
  return (handlers.get(name) ?? []).length > 0;
}

addEventListener('keydown', onKeyDown);

function onKeyDown(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing) return;
  const pressed = pressedKeys(event);
  const isSingle = !/^(Mod|Alt)/.test(pressed);
  if (isModalOpen(pressed) || (isSingle && isTyping(event.target))) return;
  // Keys that write nothing, such as Escape, are not a nuisance.
  if (isSingle && event.key.length === 1 && !readSettings().singleKeys) return;
  const name = findShortcut(pressed, event.timeStamp);
  if (name === undefined) return;
  // The keys of an entry must not act on the one that is still shown.
  if (shortcuts[name].group === 'entry' && isEntryAwaited() && !isTyping(event.target)) holdForEntry(event);
  else if (runShortcut(name, event)) event.preventDefault();
}

function findShortcut(pressed: string, at: number): ShortcutName | undefined {
  const all = Object.entries(shortcuts) as [ShortcutName, { readonly keys: string }][];
  const find = (keys: string) => all.find(([, one]) => one.keys === keys)?.[0];
  const first = firstKey && at - firstKey.at < sequenceMs ? firstKey.key : undefined;
  firstKey = undefined;
  const second = first === undefined ? undefined : find(`${first} then ${pressed}`);
  if (second !== undefined) return second;
  if (all.some(([, { keys }]) => keys.startsWith(`${pressed} then `))) firstKey = { key: pressed, at };
  return find(pressed);
}

/** Whether the keys are typed into a field, where single keys are not shortcuts. */
function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof Element)) return false;
  if (target.closest('[contenteditable="true"], textarea, select, [role="menu"], [role="listbox"]')) return true;
  return target instanceof HTMLInputElement && !/^(checkbox|radio|button|range)$/.test(target.type);
}

const modal = ':is(dialog[open], [role="dialog"][data-modal])';

/** Whether a dialog takes the keys. The keys that open the palette also close it. */
function isModalOpen(pressed: string): boolean {
  return document.querySelector(pressed === shortcuts.commands.keys ? `${modal}:not(.palette)` : modal) !== null;
}
