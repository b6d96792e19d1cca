import type { PlotLook } from './plot-options.ts';

/** Text above the curves of a saved picture. */
interface PictureText {
  readonly title: string;
  /** Names of the curves, with the numbers of their colours. */
  readonly labels: readonly { readonly name: string; readonly colour: number }[];
}

const [padding, titleHeight, lineHeight] = [12, 24, 18] as const;

/** Downloads a drawn plot as a PNG, with its title and the names of its curves. */
export function savePicture(plot: HTMLCanvasElement, look: PlotLook, { title, labels }: PictureText): void {
  const scale = devicePixelRatio;
  const top = (padding + titleHeight + lineHeight * labels.length) * scale;
  const canvas = document.createElement('canvas');
  canvas.width = plot.width + 2 * padding * scale;
  canvas.height = plot.height + top + padding * scale;
  const context = canvas.getContext('2d');
  if (!context) return;
  context.fillStyle = look.surface;
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(plot, padding * scale, top);
  context.scale(scale, scale);
  context.fillStyle = look.text;
  context.textBaseline = 'middle';
  context.font = look.font.replace('11px', '600 14px');
  context.fillText(title, padding, padding + titleHeight / 2 - 4);
  context.font = look.font.replace('11px', '12px');
  for (const [at, { name, colour }] of labels.entries()) {
    const y = padding + titleHeight + lineHeight * at + lineHeight / 2 - 4;
    context.fillStyle = look.curves[colour] ?? look.text;
    context.fillRect(padding, y - 1.5, 18, 3);
    context.fillStyle = look.text;
    context.fillText(name, padding + 26, y);
  }
  canvas.toBlob((blob) => {
    if (blob) download(blob, `${title.replace(/\.\w+$/, '')}.png`);
  }, 'image/png');
}

function download(blob: Blob, fileName: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = fileName;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
