import { inflateSync } from 'node:zlib';

/** Values of an image, row by row: one for each pixel, or three for red, green and blue. */
export interface MeasuredImage {
  readonly width: number;
  readonly height: number;
  readonly channels: 1 | 3;
  readonly values: Float64Array;
}

const tags = {
  width: 256,
  height: 257,
  bits: 258,
  compression: 259,
  photometric: 262,
  offsets: 273,
  orientation: 274,
  samples: 277,
  rows: 278,
  counts: 279,
  planar: 284,
  predictor: 317,
  tileWidth: 322,
  tileHeight: 323,
  tileOffsets: 324,
  tileCounts: 325,
  extra: 338,
  format: 339,
} as const;
const knownTags = new Set<number>(Object.values(tags));
type Fields = (tag: keyof typeof tags) => readonly number[] | undefined;

const uncompressed = 1;
const deflated = [8, 32_946];
/** Kinds of numbers: unsigned, signed and floating point; unspecified ones are unsigned. */
const [signed, floating, unspecified] = [2, 3, 4];
/** Values of the field ExtraSamples that mean an opacity. */
const opacities = [1, 2];
/** Maximum unpacked size, because a small file can be unpacked to any size. */
const maxUnpackedBytes = 268_435_456;
const maxFields = 1_000;
/** Maximum number of values in a field, such as the offsets of the strips. Longer fields are not read. */
const maxNumbers = 1_000_000;

/**
 * Reads a TIFF whose values libvips refuses or cuts off: values of 24, 40, 48 or 64 bits, signed or 32-bit colours, and
 * extra samples. Undefined for all other images, damaged ones, and compression other than deflate.
 * @param size a larger image is thinned out to at least twice this width or height
 */
export function readTiff(image: Buffer, size: number): MeasuredImage | undefined {
  try {
    const fields = readFields(image);
    const layout = fields && readLayout(fields);
    return (
      layout && readValues(image, layout, Math.max(1, Math.floor(Math.max(layout.width, layout.height) / size / 2)))
    );
  } catch {
    // The image is cut off or damaged.
    return undefined;
  }
}

/** Reads numbers of 1 to 8 bytes in the byte order of a file. */
interface Word {
  readonly isLittle: boolean;
  number(at: number, bytes: number): number;
}

function wordsOf(image: Buffer): Word | undefined {
  const order = image.toString('latin1', 0, 2);
  if (order !== 'II' && order !== 'MM') return undefined;
  const isLittle = order === 'II';
  const number = (at: number, bytes: number) => {
    if (bytes === 8) return Number(isLittle ? image.readBigUInt64LE(at) : image.readBigUInt64BE(at));
    return isLittle ? image.readUIntLE(at, bytes) : image.readUIntBE(at, bytes);
  };
  return { isLittle, number };
}

/** Bytes of a number, by the type of its field: BYTE, SHORT, LONG and LONG8. */
const bytesOfType: Readonly<Record<number, number>> = { 1: 1, 3: 2, 4: 4, 16: 8 };

/** Reads the fields of the first image. Those of a BigTIFF have wider numbers. */
function readFields(image: Buffer): (Fields & { readonly isLittle: boolean }) | undefined {
  const words = wordsOf(image);
  const version = words?.number(2, 2);
  if (!words || (version !== 42 && version !== 43)) return undefined;
  const [wide, fieldBytes, countBytes] = version === 43 ? [8, 20, 8] : [4, 12, 2];
  const start = words.number(version === 43 ? 8 : 4, wide);
  const found = new Map<number, number[]>();
  const fields = Math.min(words.number(start, countBytes), maxFields);
  for (let field = 0; field < fields; field += 1) {
    const at = start + countBytes + field * fieldBytes;
    const bytes = bytesOfType[words.number(at + 2, 2)];
    const tag = words.number(at, 2);
    const count = words.number(at + 4, wide);
    if (!knownTags.has(tag) || bytes === undefined || count > maxNumbers || count * bytes > image.length) continue;
    const place = count * bytes > wide ? words.number(at + 4 + wide, wide) : at + 4 + wide;
    const numbers = Array.from({ length: count }, (_, index) => words.number(place + index * bytes, bytes));
    found.set(tag, numbers);
  }
  return Object.assign((tag: keyof typeof tags) => found.get(tags[tag]), { isLittle: words.isLittle });
}

/** Location of the values of an image: in strips or tiles, each with all samples or with one of them. */
interface Layout {
  readonly width: number;
  readonly height: number;
  readonly bits: number;
  readonly format: number;
  readonly samples: number;
  readonly channels: 1 | 3;
  /** Whether 0 is white. */
  readonly isInverted: boolean;
  readonly isLittle: boolean;
  readonly isPacked: boolean;
  readonly isPlanar: boolean;
  readonly blockWidth: number;
  readonly blockHeight: number;
  readonly offsets: readonly number[];
  readonly counts: readonly number[];
}

function readLayout(fields: NonNullable<ReturnType<typeof readFields>>): Layout | undefined {
  const one = (tag: keyof typeof tags, otherwise: number) => fields(tag)?.[0] ?? otherwise;
  const [width, height, samples] = [one('width', 0), one('height', 0), one('samples', 1)];
  const [photometric, compression] = [one('photometric', -1), one('compression', uncompressed)];
  const widths = new Set(fields('bits') ?? [1]);
  const bits = one('bits', 1);
  const format = one('format', 1);
  const channels = photometric === 2 ? 3 : 1;
  const isPacked = deflated.includes(compression);
  const isReadable =
    width > 0 && height > 0 && samples >= channels && widths.size === 1 && photometric >= 0 && photometric <= 2;
  const isPlain =
    (isPacked || compression === uncompressed) && one('predictor', 1) === 1 && one('orientation', 1) === 1;
  if (!isReadable || !isPlain || !isMisread({ bits, format, samples, channels }, fields('extra') ?? []))
    return undefined;
  const isTiled = fields('tileOffsets') !== undefined;
  return {
    width,
    height,
    bits,
    format,
    samples,
    channels,
    isInverted: photometric === 0,
    isLittle: fields.isLittle,
    isPacked,
    isPlanar: one('planar', 1) === 2,
    blockWidth: isTiled ? one('tileWidth', 0) : width,
    blockHeight: isTiled ? one('tileHeight', 0) : Math.min(one('rows', height), height),
    offsets: fields(isTiled ? 'tileOffsets' : 'offsets') ?? [],
    counts: fields(isTiled ? 'tileCounts' : 'counts') ?? [],
  };
}

/** Whether libvips refuses such values or cuts them off. */
function isMisread(
  { bits, format, samples, channels }: Pick<Layout, 'bits' | 'format' | 'samples' | 'channels'>,
  extra: readonly number[],
): boolean {
  if (readerOf(bits, format, true) === undefined) return false;
  if (bits > 8 && bits !== 16 && bits !== 32) return true;
  if (samples > 1 && (bits === 32 || format === signed || format === floating)) return true;
  return bits >= 8 && samples > channels && !opacities.includes(extra[0] ?? 0);
}

type ReadNumber = (block: Buffer, index: number) => number;

/** Returns the function that reads the value at an index of a block; undefined for a format that is not supported. */
function readerOf(bits: number, format: number, isLittle: boolean): ReadNumber | undefined {
  if (format === floating) {
    if (bits === 64) return (block, at) => (isLittle ? block.readDoubleLE(at * 8) : block.readDoubleBE(at * 8));
    if (bits === 32) return (block, at) => (isLittle ? block.readFloatLE(at * 4) : block.readFloatBE(at * 4));
    return undefined;
  }
  if (format !== 1 && format !== signed && format !== unspecified) return undefined;
  if (bits === 64) {
    if (format === signed)
      return (block, at) => Number(isLittle ? block.readBigInt64LE(at * 8) : block.readBigInt64BE(at * 8));
    return (block, at) => Number(isLittle ? block.readBigUInt64LE(at * 8) : block.readBigUInt64BE(at * 8));
  }
  if (bits % 8 === 0 && bits > 0 && bits <= 48) {
    const bytes = bits / 8;
    if (format === signed)
      return (block, at) => (isLittle ? block.readIntLE(at * bytes, bytes) : block.readIntBE(at * bytes, bytes));
    return (block, at) => (isLittle ? block.readUIntLE(at * bytes, bytes) : block.readUIntBE(at * bytes, bytes));
  }
  return undefined;
}

/** Reads every `step`th pixel of every `step`th row. */
function readValues(image: Buffer, layout: Layout, step: number): MeasuredImage | undefined {
  const { channels, blockWidth, blockHeight, isPlanar, samples, isInverted } = layout;
  const [width, height] = [Math.ceil(layout.width / step), Math.ceil(layout.height / step)];
  const across = Math.ceil(layout.width / blockWidth);
  const blocks = across * Math.ceil(layout.height / blockHeight);
  const read = readerOf(layout.bits, layout.format, layout.isLittle);
  const perPixel = isPlanar ? 1 : samples;
  const blockBytes = (blockWidth * blockHeight * perPixel * layout.bits) / 8;
  if (!read || !(blockBytes > 0) || blockBytes * blocks > maxUnpackedBytes) return undefined;
  const values = new Float64Array(width * height * channels);
  const readBlock = (number: number, channel: number, from: number) => {
    const block = unpack(image, layout, number + (isPlanar ? channel * blocks : 0), blockBytes);
    const [left, top] = [(number % across) * blockWidth, Math.floor(number / across) * blockHeight];
    for (let y = Math.ceil(top / step); y < height && y * step < top + blockHeight; y += 1) {
      for (let x = Math.ceil(left / step); x < width && x * step < left + blockWidth; x += 1) {
        const at = ((y * step - top) * blockWidth + x * step - left) * perPixel + from;
        const value = read(block, at);
        values[(y * width + x) * channels + channel] = isInverted ? -value : value;
      }
    }
  };
  for (let number = 0; number < blocks; number += 1) {
    for (let channel = 0; channel < channels; channel += 1) readBlock(number, channel, isPlanar ? 0 : channel);
  }
  return { width, height, channels, values };
}

function unpack(image: Buffer, { offsets, counts, isPacked }: Layout, number: number, bytes: number): Buffer {
  const [offset = Number.NaN, count = Number.NaN] = [offsets[number], counts[number]];
  const block = image.subarray(offset, offset + count);
  return isPacked ? inflateSync(block, { maxOutputLength: bytes }) : block;
}
