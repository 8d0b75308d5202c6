/** Lets the page work without a network, where the browser allows it: over HTTPS, or from this machine. */

const PAUSE = 4000; // milliseconds, in which the first game may load

window.addEventListener('load', () => setTimeout(keep, PAUSE));

function keep() {
  navigator.serviceWorker?.register('service-worker.js').catch(() => {}); // it then needs the network
}
