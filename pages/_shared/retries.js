// Requests a component's data from the server repeatedly until it is available.
const RETRIES = [0, 300, 1000, 3000];

const sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

// The server drops a file for a moment while a page is run again, so one failure is not final.
async function persistently(attempt) {
  let failure;
  for (const pause of RETRIES) {
    await sleep(pause);
    try {
      return await attempt();
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}
