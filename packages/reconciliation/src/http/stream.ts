/**
 * Returns pieces as the body of an answer, as they are asked for. A failure cuts the answer off, so that it
 * is not taken for a whole one; a client that goes away ends the pieces.
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
