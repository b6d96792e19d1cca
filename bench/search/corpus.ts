import type { Attachment } from '../../src/attachments/attachment.js';
import type { AttributeValue, Entry, EventMark, PropertyInstance } from '../../src/entries/entry.js';
import { type AttachmentFile, attachmentFile } from './attachment-files.js';
import { Random, WeightedDraw, zipfWeights } from './random.js';
import { makeWord, Vocabulary } from './vocabulary.js';

/** An entry to store, and what happens to it. */
export interface CorpusEntry {
  readonly content: Omit<Entry, 'id' | 'version'>;
  /** Index of the earlier entry that it answers. */
  readonly replyTo: number | undefined;
  readonly edit: Pick<Entry, 'source' | 'description' | 'modifyDate' | 'modifiedBy'> | undefined;
}

/** Names that occur in the entries. */
export interface Names {
  readonly owners: readonly string[];
  readonly levels: readonly string[];
  readonly logbooks: readonly string[];
  readonly tags: readonly string[];
  readonly properties: readonly { readonly name: string; readonly attributes: readonly AttributeKind[] }[];
}

export interface AttributeKind {
  readonly name: string;
  /** A set of a few values, or hundreds of thousands of them. */
  readonly values: 'few' | 'many';
}

/** Edition of the generated entries. Increase it whenever they change. */
export const corpusEdition = 2;

export const corpusStartMs = Date.UTC(2016, 0, 1);
export const corpusEndMs = Date.UTC(2026, 0, 1);
export const meanWords = 60;

const hourMs = 3_600_000;
const replyShare = 0.05;
const editedShare = 0.05;
/** A reply answers one of this number of entries before it. */
const replyReach = 1_000;
const kinds = ['Quad', 'Sext', 'Dip', 'Cor', 'BPM', 'Cav', 'Pump', 'Valve'];
const systems = ['MG', 'VA', 'PS', 'BI', 'RF', 'ID'];
const fileTypes = [
  ['png', 'image/png'],
  ['jpg', 'image/jpeg'],
  ['pdf', 'application/pdf'],
  ['csv', 'text/csv'],
  ['txt', 'text/plain'],
  ['mp4', 'video/mp4'],
  ['bin', 'application/octet-stream'],
] as const;

/** Entries generated from a seed, each by its index alone. Their times spread over ten years, in the same order. */
export class Corpus {
  readonly vocabulary: Vocabulary;
  readonly names: Names;
  private readonly owners = new WeightedDraw(zipfWeights(200, 0.8));
  private readonly levels = new WeightedDraw([12, 4, 2, 1, 1]);
  private readonly logbooks = new WeightedDraw(zipfWeights(30, 1));
  private readonly tags = new WeightedDraw(zipfWeights(60, 1));
  private readonly fewValues: readonly string[];
  private readonly stepMs: number;

  constructor(
    readonly seed: number,
    readonly entries: number,
  ) {
    this.vocabulary = new Vocabulary(seed);
    this.stepMs = (corpusEndMs - corpusStartMs) / entries;
    const random = new Random(seed, 2);
    const words = (count: number) => {
      const names = new Set<string>();
      while (names.size < count) names.add(makeWord(random, 3));
      return [...names];
    };
    this.names = {
      owners: words(200),
      levels: ['Info', 'Problem', 'Request', 'Suggestion', 'Urgent'],
      logbooks: words(30),
      tags: words(60),
      properties: words(12).map((name, index) => ({
        name,
        attributes: words((index % 3) + 1).map((attribute, at) => ({
          name: attribute,
          values: (index + at) % 2 === 0 ? 'few' : 'many',
        })),
      })),
    };
    this.fewValues = words(20);
  }

  /** Returns the entry with the index. Indexes beyond the last one give further entries. */
  entry(index: number): CorpusEntry {
    const random = new Random(this.seed, 3, index);
    const createdDate = Math.floor(corpusStartMs + (index + random.fraction()) * this.stepMs);
    const owner = this.names.owners[this.owners.draw(random)] as string;
    const description = this.description(random);
    const replyTo =
      index > 0 && random.chance(replyShare) ? index - random.between(1, Math.min(replyReach, index)) : undefined;
    return {
      content: {
        owner,
        source: description,
        description,
        title: capitalised(this.draws(random, random.between(4, 8)).join(' ')),
        level: this.names.levels[this.levels.draw(random)] as string,
        state: 'Active',
        createdDate,
        modifyDate: null,
        modifiedBy: null,
        events: this.events(random, createdDate),
        logbooks: distinct(random.between(1, 3), () => this.logbooks.draw(random)).map((at) => ({
          name: this.names.logbooks[at] as string,
          owner: 'admin',
          state: 'Active',
        })),
        tags: distinct(random.between(0, 4), () => this.tags.draw(random)).map((at) => ({
          name: this.names.tags[at] as string,
          state: 'Active',
        })),
        properties: this.properties(random),
        attachments: this.attachments(random, index),
      },
      replyTo,
      edit: random.chance(editedShare) ? this.edit(random, description, createdDate, owner) : undefined,
    };
  }

  /** Returns one of 311,040 device names, such as `SR:C03-MG:G02A{Quad:1}`. */
  deviceName(random: Random): string {
    const two = (most: number) => String(random.between(1, most)).padStart(2, '0');
    const place = `SR:C${two(30)}-${random.pick(systems)}:G${two(12)}${random.pick(['A', 'B', 'C'])}`;
    return `${place}{${random.pick(kinds)}:${random.between(1, 6)}}`;
  }

  private draws(random: Random, count: number): string[] {
    return Array.from({ length: count }, () => this.vocabulary.draw(random));
  }

  private description(random: Random): string {
    // The sum of three random numbers is usually near its mean, and seldom near its minimum or maximum.
    const count = Math.round((meanWords / 3) * (random.fraction() + random.fraction() + random.fraction() + 1.5));
    const words = this.draws(random, count);
    for (let at = 0; at < words.length; at += random.between(8, 16)) {
      words[at] = capitalised(words[at] as string);
      if (at > 0) words[at - 1] += '.';
    }
    const put = (text: string) => {
      words[random.below(words.length)] = text;
    };
    if (random.chance(0.6)) for (let left = random.between(1, 3); left > 0; left--) put(this.deviceName(random));
    for (let left = random.between(0, 3); left > 0; left--) put(number(random));
    if (random.chance(0.01)) words.push(ideographs(random));
    return `${words.join(' ')}.`;
  }

  private edit(random: Random, description: string, createdDate: number, owner: string): CorpusEntry['edit'] {
    const text = `${description} ${capitalised(this.draws(random, random.between(3, 12)).join(' '))}.`;
    return {
      source: text,
      description: text,
      modifyDate: createdDate + random.between(1, 48) * hourMs,
      modifiedBy: random.chance(0.8) ? owner : (this.names.owners[this.owners.draw(random)] as string),
    };
  }

  private events(random: Random, createdDate: number): EventMark[] {
    if (!random.chance(0.2)) return [];
    return [{ name: random.pick(this.fewValues), instant: createdDate - random.between(1, 240) * hourMs }];
  }

  private properties(random: Random): PropertyInstance[] {
    return distinct(random.between(0, 2), () => random.below(this.names.properties.length)).map((at) => {
      const { name, attributes } = this.names.properties[at] as Names['properties'][number];
      return {
        name,
        owner: 'admin',
        state: 'Active',
        attributes: attributes.map((attribute) => this.attribute(random, attribute)),
      };
    });
  }

  private attribute(random: Random, { name, values }: AttributeKind): AttributeValue {
    const few = values === 'few';
    return { name, value: few ? random.pick(this.fewValues) : this.deviceName(random), state: 'Active' };
  }

  private attachments(random: Random, index: number): Attachment[] {
    const count = random.chance(0.25) ? random.between(1, 2) : 0;
    return Array.from({ length: count }, () => {
      const [extension, contentType] = random.pick(fileTypes);
      const hex = random.hex(32);
      const id = `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20)}`;
      const { bytes, checksum } = this.fileOf({ id, contentType });
      return {
        id,
        filename: random.chance(0.1) ? `trace.${extension}` : `${this.vocabulary.draw(random)}-${index}.${extension}`,
        fileMetadataDescription: '',
        size: bytes.length,
        contentType,
        checksum,
      };
    });
  }

  fileOf({ id, contentType }: Pick<Attachment, 'id' | 'contentType'>): AttachmentFile {
    const random = new Random(this.seed, 5, Number.parseInt(id.slice(0, 8), 16));
    return attachmentFile(id, contentType, this.draws(random, random.between(20, 200)).join(' '));
  }
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function number(random: Random): string {
  return random.chance(0.5)
    ? String(random.below(1_000))
    : `${random.below(100)}.${String(random.below(1_000)).padStart(3, '0')}`;
}

function ideographs(random: Random): string {
  return String.fromCharCode(...Array.from({ length: random.between(8, 20) }, () => 0x4e00 + random.below(3_000)));
}

/** Draws at most `count` numbers, each once. */
function distinct(count: number, draw: () => number): number[] {
  return [...new Set(Array.from({ length: count }, draw))];
}
