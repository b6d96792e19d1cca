import { hash } from 'node:crypto';
import { rootOfTile, TreeHead, tileHashes } from '../../packages/merkle-log/merkle-tree.js';
import { counted } from '../kernel/text.js';

/** The head of a ledger that was signed at an earlier time. */
export interface KnownHead {
  /** Name of the source of the head, for messages. */
  readonly name: string;
  readonly size: number;
  readonly root: string;
  /** Whether the ledger may be shorter, because the head may be newer than a backup. */
  readonly mayBeLater?: boolean;
  /** Number of the stored checkpoint with this head; undefined: the head is not from the logbook. */
  readonly stored?: number;
}

interface StoredTile {
  readonly size: number;
  readonly digest: string;
  /** See `Tile`. */
  readonly lastSequence: number;
}

/** A tile as it is stored. */
export interface TileText {
  readonly hashes: string;
  readonly lastSequence: number;
}

/** Checks that the tree of a ledger is built from its records, and continues the trees whose heads were signed. */
export class TreeCheck {
  /** Stored tiles, by level and position. */
  private readonly stored: StoredTile[][] = [];
  /** Hashes of the incomplete tile and number of complete tiles, for each level. */
  private readonly open: { hashes: string[]; complete: number }[] = [];
  private readonly head = new TreeHead();
  /** Known heads that the records have not reached yet, by size. */
  private readonly heads: KnownHead[] = [];
  private readonly headSizes: number[] = [];

  /** @param onProblem receives a sentence without a full stop, and the head that does not fit */
  constructor(
    heads: readonly KnownHead[],
    private readonly onProblem: (what: string, head?: KnownHead) => void,
  ) {
    for (const head of heads) this.addHead(head);
  }

  /** Adds another head. All heads must be added before the first record. */
  addHead(head: KnownHead): void {
    const place = this.heads.findIndex(({ size }) => size > head.size);
    this.heads.splice(place < 0 ? this.heads.length : place, 0, head);
    this.headSizes.push(head.size);
  }

  /** Whether a known head was made after the first of two records and before the second. */
  isHeadBetween(number: number, later: number): boolean {
    return this.headSizes.some((size) => number < size && size <= later);
  }

  /** Number of records. */
  get size(): number {
    return this.head.size;
  }

  /** Adds a stored tile. All tiles must be added before the first record. */
  addTile(level: number, position: number, { hashes, lastSequence }: TileText): void {
    const tiles = this.stored[level] ?? [];
    this.stored[level] = tiles;
    if (tiles.length !== position) this.onProblem(`the tile ${level}/${position} of the tree does not follow another`);
    tiles[position] = { size: hashes.length / 64, digest: digestOf(hashes), lastSequence };
  }

  addRecord(leaf: string, sequence: number): void {
    this.head.add(leaf);
    this.addHash(0, leaf, sequence);
    while (this.heads[0]?.size === this.head.size) {
      const head = this.heads.shift() as KnownHead;
      if (head.root !== this.head.root) {
        this.onProblem(`the first ${this.head.size} records are not those that ${head.name} covers`, head);
      }
    }
  }

  finish(): void {
    const entered = sizeOf(this.stored[0] ?? []);
    if (entered > this.size) this.onProblem(`${entered} records were entered, and ${this.size} are stored`);
    this.checkSizes();
    for (const head of this.heads) {
      if (head.mayBeLater) continue;
      this.onProblem(`there are ${this.size} records, but ${head.name} covers ${head.size}`, head);
    }
  }

  /** Checks that every tile except the last one of its level is complete. */
  private checkSizes(): void {
    for (const level of this.levels) {
      // Tiles may be missing, too.
      const tiles = this.stored[level] ?? [];
      for (const [position, { size }] of Object.entries(tiles)) {
        const isLast = Number(position) === tiles.length - 1;
        if (size === tileHashes || (isLast && Number.isInteger(size) && size > 0 && size < tileHashes)) continue;
        this.onProblem(`the tile ${level}/${position} of the tree has ${size} hashes`);
      }
      const complete = Math.floor(sizeOf(tiles) / tileHashes);
      const above = sizeOf(this.stored[level + 1] ?? []);
      if (above === complete) continue;
      this.onProblem(
        `the level ${level + 1} of the tree has ${above} hashes, but the level below has ${counted(complete, 'complete tile')}`,
      );
    }
  }

  /** Levels with tiles and the levels below them, whose tiles may be missing. */
  private get levels(): ReadonlySet<number> {
    const levels = Object.keys(this.stored).map(Number);
    return new Set(levels.flatMap((level) => (level > 0 ? [level - 1, level] : [level])));
  }

  private addHash(level: number, added: string, sequence: number): void {
    const tile = this.open[level] ?? { hashes: [], complete: 0 };
    this.open[level] = tile;
    tile.hashes.push(added);
    const stored = this.stored[level]?.[tile.complete];
    if (stored?.size === tile.hashes.length) {
      const name = `the tile ${level}/${tile.complete} of the tree`;
      if (stored.digest !== digestOf(tile.hashes.join(''))) this.onProblem(`${name} does not match the records`);
      if (stored.lastSequence !== sequence) this.onProblem(`${name} names another record as its last`);
    }
    if (tile.hashes.length < tileHashes) return;
    const root = rootOfTile(tile.hashes);
    tile.complete += 1;
    tile.hashes = [];
    this.addHash(level + 1, root, 0);
  }
}

const sizeOf = (tiles: readonly StoredTile[]): number => Object.values(tiles).reduce((sum, { size }) => sum + size, 0);

const digestOf = (hashes: string): string => hash('sha256', hashes, 'hex');
