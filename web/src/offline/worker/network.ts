/** Whether the last request was answered too late: the next ones wait only briefly. */
let isHanging = false;
const hangingMs = 2_000;

/**
 * Returns the answer of the service. If the service is unreachable or slow, returns the stored answer; without one,
 * whatever comes from the network.
 */
export async function networkFirst(
  network: Promise<Response>,
  limitMs: number,
  stored: () => Promise<Response | undefined>,
): Promise<Response> {
  const answer = await answerWithin(network, isHanging ? Math.min(limitMs, hangingMs) : limitMs);
  if (answer && !isOfGateway(answer)) return answer;
  return (await stored().catch(() => undefined)) ?? network;
}

async function answerWithin(network: Promise<Response>, limitMs: number): Promise<Response | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<undefined>((done) => {
    timer = setTimeout(() => {
      isHanging = true;
      done(undefined);
    }, limitMs);
  });
  const answered = network.then(
    (answer) => {
      isHanging = false;
      return answer;
    },
    () => undefined,
  );
  const answer = await Promise.race([answered, late]);
  clearTimeout(timer);
  return answer;
}

/** Whether a proxy answers in place of the service, whose own errors are JSON. */
function isOfGateway({ status, headers }: Response): boolean {
  return [502, 503, 504].includes(status) && !isJson(headers);
}

export function isJson(headers: Headers): boolean {
  return /^application\/json\b/.test(headers.get('content-type') ?? '');
}
