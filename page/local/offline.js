/** Lets the page work without a network, where the browser allows it: over HTTPS, or from this machine; not in a frame. */

const PAUSE = 4000; // milliseconds, in which the first game may load

if (window.top === window) window.addEventListener('load', () => setTimeout(keep, PAUSE));

function keep() {
  navigator.serviceWorker?.register('service-worker.js').catch(() => {}); // it then needs the network
}
