import { useEffect, useRef, useState } from 'react';

/** Receives files that are pasted or dropped anywhere on the page. Returns whether files are held over it. */
export function useDropAndPaste(onFiles: (files: Iterable<File>) => void): boolean {
  const [isOver, setOver] = useState(false);
  const latest = useRef(onFiles);
  latest.current = onFiles;
  useEffect(() => {
    const paste = (event: ClipboardEvent) => {
      const { files = [] } = event.clipboardData ?? {};
      // Office programs copy a picture of the text along with the text: only the text is wanted.
      if (files.length === 0 || event.clipboardData?.getData('text/plain')) return;
      event.preventDefault();
      event.stopPropagation();
      latest.current([...files]);
    };
    const hasFiles = ({ dataTransfer }: DragEvent) => dataTransfer?.types.includes('Files') ?? false;
    const over = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setOver(true);
    };
    const leave = ({ relatedTarget }: DragEvent) => relatedTarget === null && setOver(false);
    const drop = (event: DragEvent) => {
      setOver(false);
      if (!hasFiles(event)) return;
      event.preventDefault();
      event.stopPropagation();
      latest.current([...(event.dataTransfer?.files ?? [])]);
    };
    // Handled before the editor, which would insert the dropped files as text.
    addEventListener('paste', paste, true);
    addEventListener('dragover', over, true);
    addEventListener('dragleave', leave, true);
    addEventListener('drop', drop, true);
    return () => {
      removeEventListener('paste', paste, true);
      removeEventListener('dragover', over, true);
      removeEventListener('dragleave', leave, true);
      removeEventListener('drop', drop, true);
    };
  }, []);
  return isOver;
}
