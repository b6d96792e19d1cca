import { rootPath } from '../../app/root-path.ts';
import { startWorker } from '../../app/trusted-types.ts';
import { type BlockChange, changesOf } from './block-changes.ts';
import workerUrl from './render-worker.ts?worker&url';

/** Renders a text that changes. */
export interface BlockRenderer {
  /** Renders the text; while another one is being rendered, the newest waits. */
  readonly render: (text: string) => void;
  readonly close: () => void;
}

/** Renders in a worker, so that typing never waits for it; in the page if the worker cannot be loaded. */
export function startBlockRenderer(onChange: (change: BlockChange) => void): BlockRenderer {
  const worker = startWorker(workerUrl);
  let isBusy = false;
  let waiting: string | undefined;
  let inPage: BlockRenderer | undefined;
  const send = (text: string) => {
    isBusy = true;
    worker.postMessage(text);
  };
  worker.postMessage({ origin: location.origin, rootPath });
  worker.addEventListener('message', ({ data }: MessageEvent<BlockChange>) => {
    isBusy = false;
    onChange(data);
    if (waiting !== undefined) send(waiting);
    waiting = undefined;
  });
  let last = '';
  worker.addEventListener('error', (event) => {
    event.preventDefault();
    worker.terminate();
    inPage ??= renderInPage(onChange);
    inPage.render(last);
  });
  return {
    render: (text) => {
      last = text;
      if (inPage) inPage.render(text);
      else if (isBusy) waiting = text;
      else send(text);
    },
    close: () => {
      worker.terminate();
      inPage?.close();
    },
  };
}

function renderInPage(onChange: (change: BlockChange) => void): BlockRenderer {
  const loaded = import('../../read/markdown.ts').then(({ renderMarkdownBlocks }) => changesOf(renderMarkdownBlocks));
  let newest: string | undefined;
  const run = async (text: string) => {
    newest = text;
    const change = await loaded;
    if (newest === text) onChange(change(text));
  };
  return {
    render: (text) => void run(text),
    close: () => {
      newest = undefined;
    },
  };
}
