import type { Block, Run } from './text-model.js';

/** Addresses in a text, in their original spelling. */
export interface NamedAddresses {
  readonly images: readonly string[];
  readonly links: readonly string[];
}

/** Lists the addresses of images and links. */
export function addressesOf(blocks: readonly Block[]): NamedAddresses {
  const [images, links] = [new Set<string>(), new Set<string>()];
  for (const run of runsOf(blocks)) {
    if (run.kind === 'image') images.add(run.address);
    if (run.marks.link !== undefined) links.add(run.marks.link);
  }
  return { images: [...images], links: [...links] };
}

function* runsOf(blocks: readonly Block[]): Generator<Run> {
  for (const block of blocks) {
    if ('runs' in block) yield* block.runs;
    else if (block.kind === 'quote') yield* runsOf(block.content);
    else if (block.kind === 'list') for (const { content } of block.items) yield* runsOf(content);
    else if (block.kind === 'table')
      for (const row of block.rows) for (const { content } of row) yield* runsOf(content);
  }
}
