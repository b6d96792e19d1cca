import { type Area, areaOf, keptArea, type Mark, type Size } from './mark.ts';

const colour = '#d27600';
/** Rings around a stroke, the outermost first, in widths of the pen: one of them stands out on any picture. */
const rings = [
  { style: '#000000', width: 3 },
  { style: '#ffffff', width: 2 },
] as const;
/** Number of blurred pixels across the width of the picture: too few to read letters. */
const blurredPixels = 60;

/** Draws the picture with all marks. The area that a crop removes is dimmed. */
export function drawMarks(canvas: HTMLCanvasElement, picture: ImageBitmap, marks: readonly Mark[]): void {
  const { width, height } = picture;
  if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
  const context = canvas.getContext('2d');
  if (!context) return;
  drawAll(context, picture, marks);
  const kept = keptArea(marks, picture);
  context.fillStyle = 'rgb(10 14 18 / 0.6)';
  context.beginPath();
  context.rect(0, 0, width, height);
  context.rect(kept.x, kept.y, kept.width, kept.height);
  context.fill('evenodd');
}

/** Returns the marked picture as a file, of the same type if the browser can write it. */
export async function renderMarks(picture: ImageBitmap, marks: readonly Mark[], type: string): Promise<Blob> {
  const whole = document.createElement('canvas');
  Object.assign(whole, { width: picture.width, height: picture.height });
  const context = whole.getContext('2d');
  if (context) drawAll(context, picture, marks);
  const { x, y, width, height } = keptArea(marks, picture);
  const cut = document.createElement('canvas');
  Object.assign(cut, { width, height });
  cut.getContext('2d')?.drawImage(whole, -x, -y);
  const isJpeg = type === 'image/jpeg';
  return new Promise((resolve, reject) => {
    const done = (blob: Blob | null) => (blob ? resolve(blob) : reject(new Error('the picture is too large')));
    cut.toBlob(done, isJpeg ? 'image/jpeg' : 'image/png', isJpeg ? 0.92 : undefined);
  });
}

function drawAll(context: CanvasRenderingContext2D, picture: ImageBitmap, marks: readonly Mark[]): void {
  context.drawImage(picture, 0, 0);
  // Blurred areas lie below all other marks, whenever they were drawn.
  for (const mark of marks) if (mark.tool === 'blur') blur(context, areaOf(mark, picture), picture);
  const pen = Math.max(2, (picture.width / 1_000) * 3);
  for (const mark of marks) {
    if (mark.tool === 'box') outlined(context, pen, boxPath(areaOf(mark, picture)));
    if (mark.tool === 'arrow') drawArrow(context, pen, mark);
    if (mark.tool === 'text') drawText(context, pen, mark);
  }
}

/** Replaces the area with a few averages, from which its content cannot be read. */
function blur(context: CanvasRenderingContext2D, area: Area, { width }: Size): void {
  if (area.width === 0 || area.height === 0) return;
  const pixel = Math.max(8, width / blurredPixels);
  const small = document.createElement('canvas');
  small.width = Math.max(1, Math.round(area.width / pixel));
  small.height = Math.max(1, Math.round(area.height / pixel));
  const smallContext = small.getContext('2d');
  if (!smallContext) return;
  smallContext.imageSmoothingQuality = 'high';
  smallContext.drawImage(context.canvas, area.x, area.y, area.width, area.height, 0, 0, small.width, small.height);
  context.drawImage(small, 0, 0, small.width, small.height, area.x, area.y, area.width, area.height);
}

function boxPath({ x, y, width, height }: Area): Path2D {
  const path = new Path2D();
  path.rect(x, y, width, height);
  return path;
}

function outlined(context: CanvasRenderingContext2D, pen: number, path: Path2D): void {
  context.lineJoin = 'round';
  context.lineCap = 'round';
  for (const { style, width } of rings) {
    context.strokeStyle = style;
    context.lineWidth = pen * width;
    context.stroke(path);
  }
  context.strokeStyle = colour;
  context.lineWidth = pen;
  context.stroke(path);
}

function drawArrow(context: CanvasRenderingContext2D, pen: number, { from, to }: Mark): void {
  const angle = Math.atan2(to.y - from.y, to.x - from.x);
  const head = Math.min(pen * 6, Math.hypot(to.x - from.x, to.y - from.y) / 2);
  const path = new Path2D();
  path.moveTo(from.x, from.y);
  path.lineTo(to.x, to.y);
  for (const side of [-1, 1]) {
    const back = angle + Math.PI + side * 0.45;
    path.moveTo(to.x, to.y);
    path.lineTo(to.x + Math.cos(back) * head, to.y + Math.sin(back) * head);
  }
  outlined(context, pen, path);
}

function drawText(context: CanvasRenderingContext2D, pen: number, { from, text = '' }: Mark): void {
  context.font = `600 ${pen * 8}px "Inter Variable", sans-serif`;
  context.textBaseline = 'middle';
  context.lineJoin = 'round';
  const shown = text || '…';
  for (const { style, width } of rings) {
    context.strokeStyle = style;
    context.lineWidth = pen * width;
    context.strokeText(shown, from.x, from.y);
  }
  context.fillStyle = colour;
  context.fillText(shown, from.x, from.y);
}
