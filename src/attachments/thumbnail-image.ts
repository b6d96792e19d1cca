import type { ColourspaceEnum, Metadata, Sharp, SharpConstructor } from 'sharp';
import { type MeasuredImage, readTiff } from './read-tiff.js';

/** Maximum width times height of a decoded image. */
const maxPixels = 100_000_000;
/** Colour spaces whose values are scaled, with the value that means white or opaque. */
const maxOfSpace: Readonly<Record<string, number>> = { grey16: 65_535, rgb16: 65_535, 'b-w': 255, scrgb: 1 };

/**
 * Makes an upright thumbnail as WebP, at most `size` pixels wide and high, and no larger than the image. The values of
 * a measurement, such as 12 bits of a camera in a file with 16, are scaled to their range; otherwise most thumbnails
 * would be black.
 * @throws Error when the image cannot be read
 */
export async function makeThumbnail(sharp: SharpConstructor, image: Buffer, size: number): Promise<Uint8Array> {
  const measured = readTiff(image, size);
  const small = measured ? showMeasured(sharp, measured, size) : await showImage(sharp, image, size);
  return small.webp({ quality: 78 }).toBuffer();
}

async function showImage(sharp: SharpConstructor, image: Buffer, size: number): Promise<Sharp> {
  const source = sharp(image, { limitInputPixels: maxPixels, failOn: 'truncated', pages: 1 });
  const metadata = await source.metadata();
  const upright = source.autoOrient();
  if (isMeasured(metadata)) return scaleToRange(sharp, upright, metadata, size);
  return upright.resize({ width: size, height: size, fit: 'inside', withoutEnlargement: true });
}

function showMeasured(
  sharp: SharpConstructor,
  { values, width, height, channels }: MeasuredImage,
  size: number,
): Sharp {
  const pixels = toPixels(values, 2 * Math.abs(values[0] ?? 0) || 1, channels, channels);
  return sharp(pixels, { raw: { width, height, channels } }).resize({
    width: size,
    height: size,
    fit: 'inside',
    withoutEnlargement: true,
  });
}

function isMeasured({ format, depth, space }: Metadata): boolean {
  return (format === 'tiff' || format === 'png') && depth !== 'uchar' && maxOfSpace[space ?? ''] !== undefined;
}

async function scaleToRange(
  sharp: SharpConstructor,
  source: Sharp,
  { space = 'b-w', depth, hasAlpha }: Metadata,
  size: number,
): Promise<Sharp> {
  // Signed values would be cut off at 0.
  const shifted =
    depth === 'short' ? source.linear(1, 32_768) : source.pipelineColourspace(space as keyof ColourspaceEnum);
  const { data, info } = await shifted
    .toColourspace(space)
    // The kernel must not overshoot, because the range would be wider than the range of the image.
    .resize({ width: size, height: size, fit: 'inside', withoutEnlargement: true, kernel: 'linear' })
    .raw({ depth: 'float' })
    .toBuffer({ resolveWithObject: true });
  const values = new Float32Array(data.buffer, data.byteOffset, data.byteLength / 4);
  const { width, height, channels } = info;
  const pixels = toPixels(values, maxOfSpace[space] ?? 1, channels, hasAlpha ? channels - 1 : channels);
  return sharp(pixels, { raw: { width, height, channels } });
}

/**
 * Share of the darkest and of the brightest values that are ignored. Otherwise one hot pixel would make all others
 * black.
 */
const outlierShare = 0.005;

/**
 * Scales the colours together, so that they keep their hue; a picture with a single value keeps its brightness. The
 * opacity, which follows them, has its own range.
 */
function toPixels(
  values: Float32Array | Float64Array,
  max: number,
  channels: number,
  colours: number,
): Uint8ClampedArray {
  const sorted = values.filter((value, at) => at % channels < colours && Number.isFinite(value)).sort();
  const [from, span] = rangeOf(sorted, outlierShare) ?? rangeOf(sorted, 0) ?? [0, max];
  return new Uint8ClampedArray(
    values.map((value, at) => (at % channels < colours ? ((value - from) / span) * 255 : (value / max) * 255)),
  );
}

/**
 * Returns the lowest value and its distance to the highest one, after removing the share `outliers` at both ends;
 * undefined when the two are equal.
 */
function rangeOf(
  sorted: Float32Array | Float64Array,
  outliers: number,
): readonly [from: number, span: number] | undefined {
  const left = Math.ceil(sorted.length * outliers);
  const [lowest = 0, highest = 0] = [sorted[left], sorted[sorted.length - 1 - left]];
  return highest > lowest ? [lowest, highest - lowest] : undefined;
}
