/** Maximum time for which pictures delay a print. */
const maxWaitMs = 30_000;

/** Opens the print dialog once all pictures of the page have loaded, including those that are out of view. */
export async function printPage(): Promise<void> {
  // Plots are added to a text only after it is shown.
  await new Promise((resolve) => setTimeout(resolve));
  const pictures = [...document.images].map((image) => {
    image.loading = 'eager';
    return image.decode();
  });
  const late = new Promise((resolve) => setTimeout(resolve, maxWaitMs));
  await Promise.race([Promise.allSettled([document.fonts.ready, ...pictures]), late]);
  window.print();
}
