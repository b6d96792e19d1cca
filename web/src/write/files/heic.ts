import { startWorker } from '../../app/trusted-types.ts';
import workerUrl from './heic-worker.ts?worker&url';

const brands = /^ftyp(heic|heix|hevc|hevx|heim|heis|hevm|hevs|mif1|msf1)/;

/** Whether the bytes are a HEIC or HEIF image, whatever the file is called. The service does not accept such images. */
export async function isHeic(file: Blob): Promise<boolean> {
  const start = new Uint8Array(await file.slice(4, 12).arrayBuffer());
  return brands.test(String.fromCharCode(...start));
}

/** Turns the image into JPEG, in a worker that is loaded when it is needed. @throws Error when it cannot be read */
export async function toJpeg(file: Blob): Promise<Blob> {
  const worker = startWorker(workerUrl);
  try {
    const bytes = await file.arrayBuffer();
    return await new Promise<Blob>((resolve, reject) => {
      worker.addEventListener('message', ({ data }: MessageEvent<{ jpeg?: Blob; problem?: string }>) => {
        if (data.jpeg) resolve(data.jpeg);
        else reject(new Error(data.problem));
      });
      worker.addEventListener('error', (event) => reject(new Error(event.message)));
      worker.postMessage(bytes, [bytes]);
    });
  } finally {
    worker.terminate();
  }
}
