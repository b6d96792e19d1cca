/** Ticks the task in that line of the text; resolves to whether it is stored. */
export type TickTask = (line: number) => Promise<boolean>;

/** Line of the last ticked box in each text. Its new box gets the focus when the text is rendered again. */
const tickedLines = new WeakMap<HTMLElement, number>();

const boxesIn = (place: HTMLElement) => place.querySelectorAll<HTMLInputElement>('input[data-task]');

/** Makes the boxes of tasks work, and keeps the focus on a ticked one. Returns a function that undoes this. */
export function enableTaskBoxes(place: HTMLElement, tick: TickTask): () => void {
  for (const box of boxesIn(place)) {
    box.disabled = false;
    if (tickedLines.get(place) === Number(box.dataset.task) && document.activeElement === document.body) box.focus();
  }
  const onChange = ({ target }: Event) => {
    if (target instanceof HTMLInputElement && target.dataset.task !== undefined) void run(place, target, tick);
  };
  place.addEventListener('change', onChange);
  return () => {
    place.removeEventListener('change', onChange);
    for (const box of boxesIn(place)) box.disabled = true;
  };
}

async function run(place: HTMLElement, box: HTMLInputElement, tick: TickTask): Promise<void> {
  const line = Number(box.dataset.task);
  tickedLines.set(place, line);
  box.setAttribute('aria-busy', 'true');
  const isStored = await tick(line);
  box.removeAttribute('aria-busy');
  if (!isStored) box.checked = !box.checked;
}
