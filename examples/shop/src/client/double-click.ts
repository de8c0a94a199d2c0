/** Longer than a double click, and shorter than a second thought, in milliseconds. */
const DOUBLE_CLICK = 700;

/** Lets a form be sent once where its button is clicked twice: the cart would have two of a thing. */
export function oncePerClick(): (event: SubmitEvent) => void {
  const sent = new WeakMap<EventTarget, number>();
  return (event) => {
    const { submitter, target, timeStamp } = event;
    // Sent by a script, it is as it was meant.
    if (!submitter || !target) return;
    if (timeStamp - (sent.get(target) ?? -DOUBLE_CLICK) < DOUBLE_CLICK) event.preventDefault();
    else sent.set(target, timeStamp);
  };
}
