const AT_A_TIME = 8;

/**
 * Runs `work` for each item, {@link AT_A_TIME} items at a time. While the service is slow, one item
 * must not delay all others; a failure does not stop the other items.
 * @throws the first failure, after all work has ended
 */
export async function fewAtATime<Item>(
  items: IterableIterator<Item> | AsyncGenerator<Item>,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const failures: unknown[] = [];
  const fail = (error: unknown) => void failures.push(error);
  const worker = async () => {
    // No `for await`: leaving it would close the iterator that the other workers share.
    for (let next = await items.next(); next.done !== true; next = await items.next()) {
      await work(next.value).catch(fail);
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, () => worker().catch(fail)));
  if (failures.length > 0) throw failures[0];
}
