/** Milliseconds: longer than a double click, shorter than two deliberate clicks. */
const DOUBLE_CLICK = 700;

/** Sends a form once when its button is double-clicked, so that the cart does not get two pieces. */
export function oncePerClick(): (event: SubmitEvent) => void {
  const sent = new WeakMap<EventTarget, number>();
  return (event) => {
    const { submitter, target, timeStamp } = event;
    // Without a submitter, a script sends the form deliberately.
    if (!submitter || !target) return;
    if (timeStamp - (sent.get(target) ?? -DOUBLE_CLICK) < DOUBLE_CLICK) event.preventDefault();
    else sent.set(target, timeStamp);
  };
}
