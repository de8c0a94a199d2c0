const AT_A_TIME = 8;

/**
 * Works on each item, a few at a time: while the service is slow, one must not hold up all others, nor
 * end their round when it fails.
 * @throws what the first item that failed threw, once nothing is under way any more
 */
export async function fewAtATime<Item>(
  items: IterableIterator<Item> | AsyncGenerator<Item>,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const failures: unknown[] = [];
  const fail = (error: unknown) => void failures.push(error);
  const worker = async () => {
    // By hand: leaving `for await` would close what the others go on with.
    for (let next = await items.next(); next.done !== true; next = await items.next()) {
      await work(next.value).catch(fail);
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, () => worker().catch(fail)));
  if (failures.length > 0) throw failures[0];
}
