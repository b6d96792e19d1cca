/** Commands of the toolbar. */
export type EditorCommand = 'bold' | 'italic' | 'code' | 'list' | 'quote' | 'table' | 'plot' | 'link';

/** Methods of the editor that the page calls. */
export interface EditorHandle {
  readonly focus: () => void;
  readonly run: (command: EditorCommand) => void;
  /** Writes the text at the cursor, on lines of its own. */
  readonly insertBlock: (text: string) => void;
}
