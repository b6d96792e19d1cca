import createLibheif from 'libheif-js/libheif-wasm/libheif-bundle.mjs';

/** Converts HEIC to JPEG. Answers with a Blob, or with the reason for a failure. */
addEventListener('message', ({ data }: MessageEvent<ArrayBuffer>) => {
  void toJpeg(new Uint8Array(data)).then(
    (jpeg) => postMessage({ jpeg }),
    (error: unknown) => postMessage({ problem: String(error) }),
  );
});

const quality = 0.9;

async function toJpeg(bytes: Uint8Array): Promise<Blob> {
  const libheif = await createLibheif();
  const [image] = new libheif.HeifDecoder().decode(bytes);
  if (!image) throw new Error('the file contains no image');
  const pixels = new ImageData(image.get_width(), image.get_height());
  await new Promise<void>((resolve, reject) => {
    image.display(pixels, (shown) => (shown ? resolve() : reject(new Error('the image is damaged'))));
  });
  const canvas = new OffscreenCanvas(pixels.width, pixels.height);
  canvas.getContext('2d')?.putImageData(pixels, 0, 0);
  return canvas.convertToBlob({ type: 'image/jpeg', quality });
}
