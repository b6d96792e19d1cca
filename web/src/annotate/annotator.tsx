import { ArrowUpRight, Crop, Grid2x2, Square, Type, Undo2 } from 'lucide-react';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ClosingModal } from '../components/closing.tsx';
import { Icon } from '../components/icon.tsx';
import { isComposing } from '../keys/is-composing.ts';
import './annotate.css';
import { renderMarks } from './draw-marks.ts';
import type { Tool } from './mark.ts';
import { PictureSurface } from './picture-surface.tsx';
import { type Marks, tools, useMarks } from './use-marks.ts';

interface AnnotatorProps {
  readonly name: string;
  readonly file: Blob;
  readonly onDone: (annotated: Blob) => void;
  readonly onClose: () => void;
}

const icons = { arrow: ArrowUpRight, box: Square, text: Type, blur: Grid2x2, crop: Crop } as const;

/** Draws marks on a picture. */
export function Annotator({ name, file, onDone, onClose }: AnnotatorProps) {
  const { t } = useTranslation('annotate');
  const { picture, hasFailed } = usePicture(file);
  const marks = useMarks(picture);
  const [tool, setTool] = useState<Tool>('arrow');
  const [isTooLarge, setTooLarge] = useState(false);
  const text = useRef<HTMLInputElement>(null);
  const surface = useRef<HTMLDivElement>(null);
  const finish = () => {
    if (!picture || marks.written.length === 0) return onClose();
    return void renderMarks(picture, marks.written, file.type).then(onDone, () => setTooLarge(true));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    // Only a later Escape closes the dialog.
    if (event.key === 'Escape' && event.target === text.current && !isComposing(event.nativeEvent)) {
      event.preventDefault();
      marks.dropEmpty();
      return surface.current?.focus();
    }
    if (!(event.ctrlKey || event.metaKey)) return;
    const isField = event.target instanceof HTMLInputElement;
    if (event.key === 'z' && !isField) marks.undo();
    else if (event.key === 'Enter') finish();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <ClosingModal
      label={t('title', { name })}
      className="annotator"
      hasWork={() => marks.written.length > 0}
      onClose={onClose}
    >
      {(close) => (
        // biome-ignore lint/a11y/noStaticElementInteractions: handles the keys of its controls
        <div className="annotator-frame" onKeyDown={onKeyDown}>
          <div className="annotator-picture">
            {picture && (
              <PictureSurface
                {...{ picture, marks, tool, surface }}
                // The field appears with the next frame.
                onText={() => requestAnimationFrame(() => text.current?.focus())}
              />
            )}
          </div>
          {(hasFailed || isTooLarge) && <Failure text={t(hasFailed ? 'unreadable' : 'tooLarge')} />}
          <Tools {...{ tool, setTool, marks, text, close, finish }} />
          <p id="annotate-keys" className="hint">
            {t('keys')}
          </p>
        </div>
      )}
    </ClosingModal>
  );
}

interface ToolsProps {
  readonly tool: Tool;
  readonly setTool: (tool: Tool) => void;
  readonly marks: Marks;
  readonly text: React.Ref<HTMLInputElement>;
  readonly close: () => void;
  readonly finish: () => void;
}

function Tools({ tool, setTool, marks, text, close, finish }: ToolsProps) {
  const { t } = useTranslation('annotate');
  return (
    <div className="annotator-tools">
      <ToolChoice tool={tool} onChoose={setTool} />
      <button type="button" className="button" disabled={marks.isEmpty} onClick={marks.undo}>
        <Icon of={Undo2} />
        {t('undo')}
      </button>
      {marks.current?.tool === 'text' && <TextField marks={marks} field={text} />}
      <span className="grow" />
      <button type="button" className="button" onClick={close}>
        {t('cancel')}
      </button>
      <button type="button" className="button primary" onClick={finish}>
        {t('done')}
      </button>
    </div>
  );
}

function Failure({ text }: { readonly text: string }) {
  return (
    <p className="hint bad" role="alert">
      {text}
    </p>
  );
}

function ToolChoice({ tool, onChoose }: { readonly tool: Tool; readonly onChoose: (tool: Tool) => void }) {
  const { t } = useTranslation('annotate');
  return (
    <fieldset className="segment">
      <legend className="visually-hidden">{t('tools')}</legend>
      {tools.map((one) => (
        <button key={one} type="button" className="button" aria-pressed={one === tool} onClick={() => onChoose(one)}>
          <Icon of={icons[one]} />
          {t(one)}
        </button>
      ))}
    </fieldset>
  );
}

const maxTextLength = 200;

function TextField({ marks, field }: { readonly marks: Marks; readonly field: React.Ref<HTMLInputElement> }) {
  const { t } = useTranslation('annotate');
  return (
    <input
      ref={field}
      className="input annotator-text"
      aria-label={t('textOf')}
      placeholder={t('textOf')}
      maxLength={maxTextLength}
      value={marks.current?.text ?? ''}
      onChange={({ target }) => marks.current && marks.change({ ...marks.current, text: target.value })}
    />
  );
}

function usePicture(file: Blob) {
  const [picture, setPicture] = useState<ImageBitmap>();
  const [hasFailed, setFailed] = useState(false);
  useEffect(() => {
    let isGone = false;
    let made: ImageBitmap | undefined;
    createImageBitmap(file).then(
      (read) => {
        made = read;
        if (isGone) read.close();
        else setPicture(read);
      },
      () => setFailed(true),
    );
    return () => {
      isGone = true;
      made?.close();
    };
  }, [file]);
  return { picture, hasFailed };
}
