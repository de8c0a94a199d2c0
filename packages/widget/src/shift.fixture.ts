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
  await twoFrames(page);
  const shifts = await observeShifts(page);
  painted.resolve(undefined);
  await page.getByRole('button', { name: 'Pay over time', exact: true }).waitFor();
  return shifts();
}

/**
 * Observes layout shifts, including those right after a click.
 * @returns a function that returns the sum of the shifts so far
 */
export async function observeShifts(page: Page): Promise<() => Promise<number>> {
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
  return async () => {
    await twoFrames(page);
    return shifts.evaluate((sum) => sum());
  };
}

/** Waits until the page has painted. */
function twoFrames(page: Page): Promise<void> {
  return page.evaluate(
    () =>
      new Promise<void>((resolve) => {
        requestAnimationFrame(() => requestAnimationFrame(() => resolve()));
      }),
  );
}
