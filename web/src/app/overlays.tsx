import { lazy, useState } from 'react';
import { LatePart } from '../components/late-part.tsx';
import { holdKeys } from '../keys/held-keys.ts';
import { runShortcut, useShortcut } from '../keys/use-shortcut.ts';
import { useTypedFor } from '../keys/use-typed-for.ts';

const Palette = lazy(async () => ({ default: (await import('../palette/palette.tsx')).Palette }));
const KeysSheet = lazy(async () => ({ default: (await import('../keys/keys-sheet.tsx')).KeysSheet }));

/** The palette and the sheet of keys on every page; loaded when they are first asked for. */
export function Overlays() {
  const [shown, show] = useState<'commands' | 'sheet'>();
  const close = () => show(undefined);
  useTypedFor('commands', () => runShortcut('commands'));
  useShortcut('commands', () => {
    if (shown === undefined) holdKeys('commands');
    show(shown === 'commands' ? undefined : 'commands');
  });
  useShortcut('sheet', () => {
    if (shown === undefined) holdKeys();
    show('sheet');
  });
  if (shown === undefined) return null;
  return (
    <LatePart onClose={close}>
      {shown === 'sheet' ? <KeysSheet onClose={close} /> : <Palette onClose={close} />}
    </LatePart>
  );
}
