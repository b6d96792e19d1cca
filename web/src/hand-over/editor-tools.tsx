import { Bold, Code, Italic, Link, List, type LucideIcon, Quote, Table } from 'lucide-react';
import type { RefObject } from 'react';
import { useTranslation } from 'react-i18next';
import { IconButton } from '../components/icon-button.tsx';
import type { EditorCommand, EditorHandle } from '../write/editor/editor-handle.ts';

const tools: readonly (readonly [EditorCommand, LucideIcon])[] = [
  ['bold', Bold],
  ['italic', Italic],
  ['code', Code],
  ['list', List],
  ['quote', Quote],
  ['table', Table],
  ['link', Link],
];

/** The buttons above the text. */
export function EditorTools({ editor }: { readonly editor: RefObject<EditorHandle | null> }) {
  const { t } = useTranslation('write');
  return (
    <div className="editor-tools" role="toolbar" aria-label={t('tools')}>
      {tools.map(([command, icon]) => (
        <IconButton key={command} icon={icon} small label={t(command)} onClick={() => editor.current?.run(command)} />
      ))}
    </div>
  );
}
