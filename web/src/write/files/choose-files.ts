/** Lets the user choose files of a type, such as `image/*`. */
export function chooseFiles(accept: string, onFiles: (files: readonly File[]) => void): void {
  const input = document.createElement('input');
  input.type = 'file';
  input.multiple = true;
  input.accept = accept;
  input.addEventListener('change', () => onFiles([...(input.files ?? [])]));
  input.click();
}
