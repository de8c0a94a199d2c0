/** Says that it is there, once it has been drawn: nothing that looks for it takes time in the page. */
export function told() {
  requestAnimationFrame(() => {
    console.timeStamp('first sight');
    console.debug('first sight');
  });
}
