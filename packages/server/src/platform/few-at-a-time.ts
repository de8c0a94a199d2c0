const AT_A_TIME = 8;

/**
 * Runs `work` for each item, {@link AT_A_TIME} items at a time. While the service is slow, one item
 * must not delay all others; a failed item does not stop the others.
 * @throws the first failure, after all work has ended
 */
export async function fewAtATime<Item>(
  items: IterableIterator<Item> | AsyncGenerator<Item>,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const failures: unknown[] = [];
  const fail = (error: unknown) => void failures.push(error);
  const worker = async () => {
    // No `for await`: exiting the loop would close the iterator that the other workers share.
    for (let next = await items.next(); next.done !== true; next = await items.next()) {
      await work(next.value).catch(fail);
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, () => worker().catch(fail)));
  if (failures.length > 0) throw failures[0];
}

/**
 * Runs `work` for each due item, {@link AT_A_TIME} items at a time, until the process stops; the
 * remaining items stay due. @returns the number of due items
 */
export async function workOn<Item>(
  due: readonly Item[],
  ending: AbortSignal,
  work: (item: Item) => Promise<void>,
): Promise<number> {
  await fewAtATime(due.values(), async (item) => {
    if (!ending.aborted) await work(item);
  });
  return due.length;
}
