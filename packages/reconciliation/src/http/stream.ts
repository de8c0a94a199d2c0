/**
 * Returns a response body that is produced on demand. A failure truncates it, so that it does not
 * look complete; a client that disconnects ends the source.
 */
export function streamOf(
  pieces: AsyncIterable<Uint8Array>,
  onFailure: (error: unknown) => void,
): ReadableStream<Uint8Array> {
  const iterator = pieces[Symbol.asyncIterator]();
  let hasLeft = false;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const piece = await iterator.next();
        if (hasLeft) return;
        if (piece.done === true) controller.close();
        else controller.enqueue(piece.value);
      } catch (error) {
        if (hasLeft) return;
        onFailure(error);
        controller.error(error);
      }
    },
    async cancel() {
      hasLeft = true;
      await iterator.return?.();
    },
  });
}
