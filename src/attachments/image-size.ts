/** Size of an image as displayed, in pixels. */
export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/** Reads the size of an image from its first bytes; undefined when they do not contain it, or for another type. */
export function readImageSize(head: Uint8Array, contentType: string): ImageSize | undefined {
  const read = readers[contentType];
  if (!read) return undefined;
  try {
    const size = read(new DataView(head.buffer, head.byteOffset, head.byteLength));
    return size && size.width > 0 && size.height > 0 ? size : undefined;
  } catch (error) {
    // The header is cut off or damaged.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

type Read = (view: DataView) => ImageSize | undefined;

const readers: Readonly<Record<string, Read>> = {
  'image/png': (view) =>
    view.getUint32(12) === 0x49484452 ? sizeOf(view.getUint32(16), view.getUint32(20)) : undefined,
  'image/gif': (view) => sizeOf(view.getUint16(6, true), view.getUint16(8, true)),
  'image/bmp': (view) => sizeOf(Math.abs(view.getInt32(18, true)), Math.abs(view.getInt32(22, true))),
  'image/webp': readWebp,
  'image/jpeg': readJpeg,
};

function sizeOf(width: number, height: number): ImageSize {
  return { width, height };
}

function readWebp(view: DataView): ImageSize | undefined {
  const format = view.getUint32(12);
  if (format === 0x56503858) return sizeOf(1 + uint24(view, 24), 1 + uint24(view, 27));
  if (format === 0x56503820) return sizeOf(view.getUint16(26, true) & 0x3fff, view.getUint16(28, true) & 0x3fff);
  if (format !== 0x5650384c) return undefined;
  const bits = view.getUint32(21, true);
  return sizeOf(1 + (bits & 0x3fff), 1 + ((bits >>> 14) & 0x3fff));
}

function uint24(view: DataView, at: number): number {
  return view.getUint8(at) | (view.getUint8(at + 1) << 8) | (view.getUint8(at + 2) << 16);
}

/** Reads the segments up to the frame header. The Exif data say whether the camera was turned. */
function readJpeg(view: DataView): ImageSize | undefined {
  let isTurned = false;
  for (let at = 2; view.getUint8(at) === 0xff; ) {
    const marker = view.getUint8(at + 1);
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (isFrame) {
      const [height, width] = [view.getUint16(at + 5), view.getUint16(at + 7)];
      return isTurned ? sizeOf(height, width) : sizeOf(width, height);
    }
    const length = view.getUint16(at + 2);
    if (length < 2) return undefined;
    // Orientations from 5 on swap width and height.
    if (marker === 0xe1) isTurned ||= readOrientation(view, at + 4) >= 5;
    at += 2 + length;
  }
  return undefined;
}

/** Returns the orientation in Exif data that begin here; without Exif data 1, which means upright. */
function readOrientation(view: DataView, start: number): number {
  if (view.getUint32(start) !== 0x45786966) return 1;
  const tiff = start + 6;
  const isLittle = view.getUint16(tiff) === 0x4949;
  const directory = tiff + view.getUint32(tiff + 4, isLittle);
  const fields = view.getUint16(directory, isLittle);
  for (let field = 0; field < fields; field += 1) {
    const at = directory + 2 + field * 12;
    if (view.getUint16(at, isLittle) === 0x0112) return view.getUint16(at + 8, isLittle);
  }
  return 1;
}
