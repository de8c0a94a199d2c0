const AT_A_TIME = 8;

/**
 * Works on each item, a few at a time: while the service is slow, one must not hold up all others.
 * @throws what the first item that failed threw, once nothing is under way any more
 */
export async function fewAtATime<Item>(
  items: IterableIterator<Item> | AsyncGenerator<Item>,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const worker = async () => {
    for await (const item of items) await work(item);
  };
  const ended = await Promise.allSettled(Array.from({ length: AT_A_TIME }, worker));
  const failed = ended.find((end) => end.status === 'rejected');
  if (failed) throw failed.reason;
}
