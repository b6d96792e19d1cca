import {
  Bold,
  ChartLine,
  Code,
  Italic,
  Link,
  List,
  type LucideIcon,
  Paperclip,
  Quote,
  ScreenShare,
  Table,
} from 'lucide-react';
import { type KeyboardEvent, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { IconButton } from '../components/icon-button.tsx';
import { useHasHistory } from '../session/me.ts';
import type { EditorCommand } from './editor/editor-handle.ts';
import { canCapture, captureScreen } from './files/capture-screen.ts';
import './tools.css';

const allTools: readonly { readonly command: EditorCommand; readonly icon: LucideIcon; readonly keys?: string }[] = [
  { command: 'bold', icon: Bold, keys: 'Ctrl B' },
  { command: 'italic', icon: Italic, keys: 'Ctrl I' },
  { command: 'code', icon: Code },
  { command: 'list', icon: List },
  { command: 'quote', icon: Quote },
  { command: 'table', icon: Table },
  { command: 'plot', icon: ChartLine },
  { command: 'link', icon: Link },
];

interface ToolbarProps {
  readonly onRun: (command: EditorCommand) => void;
  readonly onFiles: (files: Iterable<File>) => void;
}

/** The toolbar is one tab stop; the arrow keys move between its tools. */
export function Toolbar({ onRun, onFiles }: ToolbarProps) {
  const { t } = useTranslation('write');
  const picker = useRef<HTMLInputElement>(null);
  const [current, setCurrent] = useState(0);
  const hasHistory = useHasHistory();
  const tools = allTools.filter(({ command }) => command !== 'plot' || hasHistory);
  const move = (event: KeyboardEvent<HTMLElement>) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    const buttons = event.currentTarget.querySelectorAll('button');
    const at = (current + by + buttons.length) % buttons.length;
    setCurrent(at);
    buttons[at]?.focus();
  };
  return (
    <div className="tools" role="toolbar" aria-label={t('tools')} onKeyDown={move}>
      {tools.map(({ command, icon, keys }, at) => (
        <IconButton
          key={command}
          icon={icon}
          label={t(command)}
          keys={keys}
          tabIndex={at === current ? 0 : -1}
          // The selection stays in the text.
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => onRun(command)}
        />
      ))}
      <IconButton
        icon={Paperclip}
        label={t('attach')}
        tabIndex={current === tools.length ? 0 : -1}
        onClick={() => picker.current?.click()}
      />
      {canCapture() && (
        <IconButton
          icon={ScreenShare}
          label={t('capture')}
          tabIndex={current === tools.length + 1 ? 0 : -1}
          onClick={() => void captureScreen().then((file) => file && onFiles([file]))}
        />
      )}
      <input
        ref={picker}
        type="file"
        multiple
        hidden
        aria-label={t('attach')}
        onChange={({ target }) => {
          onFiles([...(target.files ?? [])]);
          target.value = '';
        }}
      />
    </div>
  );
}
