/** Reports the element once it has been painted, so that no polling takes time in the page. */
export function told() {
  requestAnimationFrame(() => {
    console.timeStamp('first sight');
    console.debug('first sight');
  });
}
