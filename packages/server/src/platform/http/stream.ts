/**
 * Text as it is made: a long answer is never whole in memory. A failure on the way cuts the answer off,
 * so that it is not taken for a complete one.
 * @param first the piece that was made before the answer began
 */
export function streamText(
  first: IteratorResult<string>,
  rest: AsyncGenerator<string>,
  onFailure: (error: unknown) => void,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let isLeft = false;
  return new ReadableStream<Uint8Array>({
    start(controller) {
      if (first.done === true) controller.close();
      else controller.enqueue(encoder.encode(first.value));
    },
    async pull(controller) {
      try {
        const piece = await rest.next();
        // Who read has gone while it was made: that is no failure, and nobody is to be told of one.
        if (isLeft) return;
        if (piece.done === true) controller.close();
        else controller.enqueue(encoder.encode(piece.value));
      } catch (error) {
        if (isLeft) return;
        onFailure(error);
        controller.error(error);
      }
    },
    async cancel() {
      isLeft = true;
      await rest.return(undefined);
    },
  });
}
