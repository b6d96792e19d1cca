/** Whether the browser lets the page ask for a picture of a screen or a window: only over HTTPS, and not on phones. */
export function canCapture(): boolean {
  return typeof navigator.mediaDevices?.getDisplayMedia === 'function';
}

/** Takes a picture of what the user chooses; undefined: nothing was chosen. */
export async function captureScreen(): Promise<File | undefined> {
  const stream = await navigator.mediaDevices.getDisplayMedia({ video: true }).catch(() => undefined);
  if (!stream) return undefined;
  try {
    const video = document.createElement('video');
    video.muted = true;
    video.srcObject = stream;
    await video.play();
    const canvas = document.createElement('canvas');
    Object.assign(canvas, { width: video.videoWidth, height: video.videoHeight });
    canvas.getContext('2d')?.drawImage(video, 0, 0);
    const picture = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'));
    return picture ? new File([picture], 'screen-1.png', { type: 'image/png' }) : undefined;
  } finally {
    for (const track of stream.getTracks()) track.stop();
  }
}
