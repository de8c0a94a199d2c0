import type { Page } from 'playwright';

/**
 * Measures the layout shift caused by defining the element. Reloads the page and delays the script
 * until everything else is painted.
 * @returns the sum of the browser's layout shifts
 */
export async function shiftOfDefinition(page: Page): Promise<number> {
  const painted = Promise.withResolvers<undefined>();
  await page.route('**/financing-checkout.js', async (route) => {
    await painted.promise;
    await route.continue();
  });
  await page.reload({ waitUntil: 'commit' });
  await page.getByText('Free returns').waitFor();
  const twoFrames = () =>
    page.evaluate(
      () =>
        new Promise<void>((resolve) => {
          requestAnimationFrame(() => requestAnimationFrame(() => resolve()));
        }),
    );
  await twoFrames();
  const shifts = await page.evaluateHandle(() => {
    let sum = 0;
    const add = (entries: PerformanceEntryList) => {
      for (const entry of entries) sum += (entry as { value?: number }).value ?? 0;
    };
    const observer = new PerformanceObserver((list) => add(list.getEntries()));
    observer.observe({ type: 'layout-shift' });
    return () => {
      add(observer.takeRecords());
      return sum;
    };
  });
  painted.resolve(undefined);
  await page.getByRole('button', { name: 'Pay over time', exact: true }).waitFor();
  await twoFrames();
  return shifts.evaluate((sum) => sum());
}
