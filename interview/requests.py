# ruff: noqa: E501 (patterns read better on long lines)
"""How people ask for things in an interview: patterns of whole clauses, and examples to compare in meaning.

Each pattern has to match a clause from its first word to its last, so that the same word inside an answer ("stop the
gradient", "skip connection", "the next step") matches nothing.
"""

from __future__ import annotations

import re

from domain import Intent
from interview import remarks
from interview.prototypes import PROTOTYPES

_ASK = r"(?:can|could|may|might|will|would|should|shall) (?:i|we|you)(?: please| just| maybe| possibly)? "
_WANT = (
    r"(?:i(?:'d| would| will|'ll| want to| wanna| wish to| need to| have to| must|'d like to| would like to"
    r"|'d rather| would rather|'d prefer to| am going to|'m going to)(?: just| rather| like to| prefer to| have to)? )"
)
_LETS = (
    r"(?:let'?s|let us|shall we|why don't we|how about we|we can|we could|please|kindly|i suggest we)"
    r" (?:just |please |maybe )?"
)
_LEAD = (
    rf"(?:{_ASK}|{_WANT}|{_LETS}|do you mind if i |is it (?:ok|okay|fine|possible) (?:if i |if we |to )|mind if i )?"
)
_THE_QUESTION = (
    r"(?:the |this |that |your |my |another |a |last |first )*"
    r"(?:question|problem|task|exercise|one|part|prompt|it|that|this)"
)
_THE_INTERVIEW = (
    r"(?:the |this |our |my )?(?:whole )?(?:mock )?(?:interview|session|exam|test|practice|conversation|it|this|things)"
)
_NOW = r"(?: (?:right now|now|here|today|for (?:now|today)|at this point|early|already|there))*"

_STOP = rf"""
    stop | quit | exit | abort | end | bye(?:[ -]bye)? | good ?bye | see you(?: later| soon)? | cancel
  | {_LEAD}(?:stop|quit|exit|abort|end|finish|terminate|conclude|close|wrap up|
    cancel){_NOW}(?: with)? {_THE_INTERVIEW}{_NOW}(?: and .*)?
  | {_LEAD}(?:stop|quit|exit|finish|end|leave|wrap up|wrap it up|call it a day|call it quits|stop there|be done){_NOW}
  | (?:i(?:'m| am)|we(?:'re| are)) (?:done|finished|
    through)(?: with {_THE_INTERVIEW})?(?: {_NOW.strip()})?(?: for today| for now)
  | (?:i(?:'m| am)|we(?:'re| are)) (?:done|finished|through) with (?:the |this )?(?:interview|session|exam)
  | (?:that(?:'s| is|'ll be| will be)|this is) (?:enough|all|it)(?: for (?:today|now|me))?
  | enough(?: for (?:today|now))?(?: questions)?
  | {_WANT}(?:go|leave|run|head off|be somewhere else){_NOW} | i(?:'ve| have)? got to (?:go|leave|run){_NOW}
  | (?:i )?gotta (?:go|run)
  | no more(?: questions)?(?: for me| today)?
  | i (?:don't|do not) want (?:to (?:continue|go on)|any more questions|more questions)(?: any ?more)?
  | i can(?:'t|not) (?:continue|go on)(?: any ?more)?
  | (?:show|give|get) me (?:the|my) (?:report|results?|score) | {_LEAD}(?:end|stop|finish)(?: {_THE_INTERVIEW})? and
    [ ](?:show|give|send) me (?:the|my) (?:report|results?|score)
"""
_SKIP = rf"""
    skip | pass | next | next (?:one|question|problem|task|please) | moving on | move on | skip ahead
  | on to the next(?: one| question)?
  | {_LEAD}(?:skip|leave|drop|pass over|ignore){_NOW} {_THE_QUESTION}(?: out| for now| here| aside)?{_NOW}
  | {_LEAD}(?:skip|pass|move on|go on|move along|proceed|jump|
    continue)(?: on {_THE_QUESTION})?(?: to the next(?: one| question| problem)?|
    (?: )with the next(?: one| question)?)?{_NOW}
  | {_LEAD}(?:go|get|switch|move|change|skip|jump)(?: on| over| ahead)? to (?:the next|another|a different|a new|
    some other)(?: one| question| problem| topic)?{_NOW}
  | {_LEAD}(?:have|get|do|try|give me|take|want|like)? ?(?:the next|another|a different|a new|
    some other)(?: one| question| problem| topic)(?: instead)?
  | (?:give|ask|show) me (?:the next|another|a different|a new|something else|
    some other)(?: one| question| problem)?(?: instead)?
  | i want (?:another|a different|a new|the next)(?: one| question)
  | {_LEAD}(?:come|get|go) back to (?:this|that|it)(?: one| question)?(?: later)?(?: and (?:do|take|
    try) the next(?: one)?)?
  | (?:i |{_LEAD})give up(?: on (?:this|that|it)(?: one| question)?)?{_NOW} | i(?:'ll| will)? pass(?: on (?:this|
    that)(?: one| question)?)?
  | i(?:'m| am) (?:giving up|skipping)(?: on)?(?: this| that| it)?(?: one| question)?
"""
_HINT = rf"""
    (?:an?|any|another|one more|some|more|next|small|little|the)? ?(?:small |little |tiny |quick )?(?:hints?|
    clues?|tips?|pointers?|nudge|help)
    (?: would be (?:nice|great|good|helpful|appreciated)| is needed| for (?:me|this|that)(?: one)?)?
  | (?:{_ASK}|{_WANT}|{_LETS}|do i |is it possible to )?(?:have|get|give me|give|use|like|need|ask for|request|
    want|offer me|provide|offer)
    (?: (?:an?|any|another|one more|some|more|the|your|a bit of|a little))*(?: small| little| tiny| quick| slight)?
    (?: hints?| clues?| tips?| pointers?| nudge| help| something to (?:go on|start (?:from|
    with)))(?: here| on this| with this| with that| on that| for this)?(?: one| question)?
  | (?:do you have|is there|are there|got|have you got|you got)(?: (?:an?|any|another|some))? ?(?:hints?|clues?|
    tips?|help|pointers?)(?: for me| i (?:can|could) (?:have|get|use))?
  | i (?:need|want|could use|would like|'d like)(?: (?:a|some|a bit of|a little|another|
    more))*(?: hint| help| clue| nudge| push| assistance)(?: here| with this| please| on this)?(?: one)?
  | (?:{_ASK}|please )?(?:help|assist)(?: me)?(?: out)?(?: here| a bit| a little| with (?:this|that|
    it)| get started| to get started| to start| start)*
  | (?:{_ASK}|please )?(?:point|push|nudge|steer|guide) me (?:in|to|into|toward|towards) the right (?:direction|
    way|path)
  | (?:where|how) (?:should|do|could|can|would) (?:i|one|we) (?:start|begin|even start|even begin)
  | (?:{_ASK}|please )?(?:tell|give) me a (?:bit|little) more(?: so .*| about .*)?
  | (?:i(?:'m| am) )?(?:a bit |a little |really |completely |totally |kind of )?stuck(?: here| on this(?: one)?)?
  | (?:am i|is (?:this|that)) (?:on the right track|close|getting close|going in the right direction|warm)
  | (?:{_ASK}|please )?(?:just )?(?:tell|give|show) me (?:the |your |a )?(?:correct |right |full )?(?:answer|solution)
    (?: (?:please|to (?:this|that)(?: one)?))* | what(?:'s| is) the (?:correct |right )?(?:answer|solution)
  | what (?:am i|did i) (?:missing|miss)|what else(?: is (?:there|missing))?
  | (?:{_ASK}|please )?give me (?:something|anything|a starting point)(?: to (?:go on|start from|start with|
    work with))?
"""
_REPEAT = rf"""
    repeat | rephrase | again | once (?:more|again) | one more time | come again | pardon(?: me)? | what | huh
  | say (?:that|it|what) again
  | {_LEAD}(?:mind )?(?:repeat|rephrase|reword|restate|reformulate|re-?read|paraphrase|repeating|
    rephrasing)(?: {_THE_QUESTION})?
    (?: (?:in|with|using) (?:other|different|simpler|easier|plain|your own) (?:words|terms|language|
    english))?(?: for me)?(?: once more| again| one more time)?
  | {_LEAD}(?:say|ask|read|show|tell|put|state|explain|give|phrase|
    word)(?: to)?(?: me)?(?: {_THE_QUESTION})?(?: to me| for me)?
    (?: again| once more| once again| one more time| (?:a bit |
    more )?differently| another way| in a different way| more (?:simply|slowly|clearly)
    | in (?:other|different|simpler|easier) (?:words|terms))
  | what (?:was|is|were)(?: {_THE_QUESTION})(?: again| once more| about)? | what(?:'s| was| is) the question
  | what (?:did|do|are) you (?:just )?(?:ask|asking|say|want|saying)(?: me| again)?(?: for)?
  | what are you asking(?: me)?(?: for)?(?: exactly)?
  | i (?:didn't|did not|don't|do not|couldn't|could not) (?:quite |really |fully )?(?:catch|hear|get|understand|
    follow)(?: {_THE_QUESTION}| you| what you (?:said|asked|mean|want))?
  | i (?:missed|lost|forgot)(?: {_THE_QUESTION}| track)(?: there)? | would you mind repeating(?: {_THE_QUESTION})?
  | i(?:'m| am) (?:not sure|unsure) (?:i|that i) (?:understand|understood|got|follow)(?: {_THE_QUESTION})?
  | (?:show|give) me {_THE_QUESTION} (?:again|once more)
"""
_SMALL_TALK = r"""
    (?:what |it(?:'s| is) |such )?(?:an? )?(?:nice|lovely|terrible|awful|great|bad|beautiful|hot|cold|rainy|sunny) (?:weather|day|
    evening|morning|outside|out|here)(?: .*)?
  | (?:how|what)(?:'s| is| was| are) (?:the weather|your (?:day|week|weekend|morning|evening|family|job|favou?rite .*|hobb.*))(?: .*)?
  | how (?:old are you|long have you (?:been|worked) .*|many (?:people|candidates|interviews) .*|do you (?:feel|like) .*)
  | (?:did|have|had) you (?:have|had|see|seen|watch|watched|sleep|slept|eaten|eat) .* | do you (?:like|enjoy|love|have (?:a|any) (?:pets?|
    kids|hobb.*|family|sense of .*)|drink|sleep|get tired|ever)\b.* | where are you (?:from|based|located|calling from).*
  | tell me (?:a joke|something funny|about yourself) | (?:i )?(?:love|like|hate) (?:your (?:voice|accent|style|name)|this app|this tool|
    this (?:interview )?(?:thing|site))(?: .*)? | (?:sorry|excuse me) (?:about|for) .* | my (?:dog|cat|kid|neighbou?r|roommate|coffee|internet|mic)\b.*
  |    um+ | uh+ | hm+ | (?:hi|hello|hey|hiya|howdy|greetings|good (?:morning|afternoon|evening|day)|
    yo)(?: there| viva| everyone| again)?
  | (?:thanks|thank you|thx|ty|cheers|many thanks)(?: (?:so|very) much| a lot| for .*)?
  | how are you(?: doing)?(?: today)? | how(?:'s| is) it going | what'?s up | (?:nice|good|glad|pleased|
    great) to (?:meet|see|be) (?:you|here)(?: here)?
  | (?:what(?:'s| is) your name|who are you|are you (?:an? )?(?:robot|bot|human|ai|machine|real|a real person|
    chatgpt|person|llm)|who am i talking to)
  | (?:ok(?:ay)?|cool|nice|great|good|sure|fine|alright|all right|got it|understood|i see|perfect|awesome|right|
    yep|sounds (?:good|great|fine)|makes sense|lol|haha+|hehe+|wow|interesting)
    (?: (?:ok|okay|cool|great|thanks|good))*
  | (?:what a |that(?:'s| is|'s a| is a) )?(?:an? )?(?:really |very |pretty |quite )?(?:great|good|nice|hard|
    tough|tricky|interesting|difficult|fair|excellent|cool)(?: one| question)
  | (?:wow |oh |hm+ )?(?:that(?:'s| is)|this is) (?:a )?(?:really |very |quite |pretty )?(?:hard|tough|tricky|
    difficult|easy|interesting|fun|good|nice)(?: one| question)?
  | (?:please )?(?:give me|i need|just|let me have|may i have|can i have)? ?(?:a|one|another) (?:few )?(?:second|
    sec|minute|moment|min|seconds|minutes)(?: please| to think| to think about (?:it|this|that))?
  | (?:please )?(?:hold on|hang on|one moment|wait|wait a (?:second|minute|moment|sec)|bear with me|be right back|
    brb)(?: a (?:second|sec|minute|moment))?
  | (?:please )?let me (?:think|see|think about (?:it|this|that)|take a (?:second|moment|minute)|read (?:it|this|
    that)(?: again)?)(?: for a (?:second|moment|minute|bit))?(?: about (?:it|this|that))?
  | i(?:'m| am) (?:still )?thinking | i need (?:a (?:second|moment|minute)|some time)(?: to think)?
  | i need to (?:get|grab|fetch) .*
  | i(?:'m| am) (?:a (?:bit|little) |so |very |quite )?(?:nervous|excited|tired|anxious|ready|back|here|new to this)
  | (?:can|do) you (?:hear|see|read) me | is this (?:thing )?(?:on|working)
  | test(?:ing)?(?: one| two| three| 1| 2| 3)* | one two(?: three)?
  | (?:have a (?:nice|good|great) (?:day|evening|weekend)|you(?:'re| are) welcome|no problem|no worries|
    never ?mind|my pleasure)
"""


_NOT_KNOWING = r"""
    (?:i )?(?:really |honestly |just )?(?:don't|do not|dont) (?:really |actually )?(?:know|remember|
    recall)(?: (?:this|that|it|the answer|much|anything|enough))*(?: about .*| this one| here)?
  | (?:i have |i've |i've got |got )?(?:absolutely )?no (?:idea|clue)(?: (?:where|how|what|about|at all|here).*)?
  | (?:i(?:'m| am) )?(?:not|un) ?sure(?: (?:about (?:this|that|it)(?: one)?|here|at all|what to say|
    how to (?:start|begin|answer).*))? | dunno | no comment
  | i (?:can't|cannot|can not|couldn't) (?:answer|remember|recall|say|do|solve|think of)(?: (?:this|that|it|
    anything|the answer))*(?: one)?(?: right now)?
  | i(?:'ve| have)? (?:forgot|forgotten|never (?:heard|used|learned|learnt|seen|done|worked)).*
  | (?:my mind (?:is|went)|i(?:'m| am) drawing a) blank | i(?:'m| am) (?:totally |completely )?lost
  | you(?:'ve)? got me(?: there)? | this is (?:too hard|beyond me)(?: for me)?
  | yes | no | nope | yep | yeah | true | false | neither | both | none | correct | wrong | maybe
"""
# A question that guesses: an answer given with a question mark.
_TENTATIVE = r"""
    (?:is|are|do|does|did|was|were|wo|would|ca|could|should|has|have)n['o]t\b | can't\b | won't\b
  | (?:is|was) (?:it|that|this) (?!ok\b|okay|fine|allowed|acceptable|permitted|alright|all right|enough|
    sufficient|required|necessary|important|legal|possible|a requirement|on |in the|always|for )
  | (?:would|could|might|must|does|will|can|did) (?:it|that|this|they) (?!be (?:ok|okay|fine|enough|allowed|
    acceptable|all right)|have to|need to|matter|work (?:in|with|on|for))
  | maybe | perhaps | because | how about | something (?:like|with|about) | it(?:'s| is)
"""
_ASKS_OF_THE_TASK = r"""
    (?:may|can|could|should|shall|must|do|would|am|are|might|will|were) (?:i|we)\b
  | (?:do|did|would|will|are|could|can|were) you (?:also |just |only |really |please )?(?:mean|want|expect|need|
    ask|talking|referring|looking|interested|thinking|after|like me|like to (?:see|hear)|care|prefer|require|
    clarify|explain what|tell me (?:what|which|whether|if|how)|specify|define|elaborate|be (?:more )?specific|
    give (?:me )?(?:an example|more details?))
  | is (?:it|that|this) (?:ok|okay|fine|allowed|acceptable|permitted|alright|all right|enough|sufficient|required|
    necessary|important|a requirement|possible (?:to|for me|that i))\b
  | (?:(?:would|does|will) (?:it|that|this)|(?:must|should) (?:it|that|this)) (?:be (?:ok|okay|fine|enough|
    allowed|acceptable|all right)|have to|need to|matter|work (?:in|with|on|for))\b
  | what (?:do|did|does|would) you (?:mean|want|expect|need|like)\b | what(?:'s| is| are) meant\b | when you say\b
  | by .{1,40} (?:do )?you mean\b | what does .{1,40} mean\b
  | what (?:can|could|will|should) (?:you|we|i)\b | what (?:topics|subjects|areas|questions)\b
  | what (?:exactly|precisely|version|shape|type|dtype|size|kind|sort|framework|format|device|hardware|language|
    python|latency|scale|form|level|data|precision|inputs?|outputs?|gpus?|models?)\b
  | which (?:version|framework|one|of|kind|type|language|device|dtype|part)\b | how (?:big|large|many|much|long|
    detailed|deep|exact|precise|precisely|fast|strict|short|is .{1,40} defined)\b
  | (?:so )?(?:you|you just|you only) (?:want|mean|need|expect|are asking)\b(?=.*\?) | (?:so )?i (?:should|have to|
    need to|can|may|am supposed to|am allowed to)\b(?=.*\?)
  | am i (?:allowed|supposed|expected|free|right (?:to assume|in assuming|that you))\b | are (?:we|
    there) .*\b(?:allowed|constraints|limits|restrictions|requirements)\b
  | must it\b | (?:should|must) (?:the|x|f|this|these|those|all|each|every|my|our|there|inputs?|outputs?)\b
  | (?:do|does|can|will|is|are|has|have) (?:the|my|your|our|this) (?:[\w]+ )?(?:results?|outputs?|inputs?|answer|
    code|function|class|solution|order|split|file|data|dataset|task|question|problem|label|labels|model|system|
    user|users|test|tests|checks?|goal|target|focus|requests?|traffic|shapes?)\b
  | (?:where|when) (?:should|do|can|may) i\b | what(?:'s| is| are) (?:the |a |an |your )?[\w. ]{1,30}(?: here)?\?$
  | what if\b(?=.*\?)
"""


def _alternatives(pattern: str) -> str:
    """A pattern written over several lines: a line that starts with "|" is an alternative, any other one goes on from
    the line before; " | " separates alternatives within a line."""
    lines = [line.strip() for line in pattern.strip().split("\n")]
    joined = "".join(f"\0{line[1:].strip()}" if line.startswith("|") else line for line in lines)
    return "|".join(part.strip() for part in joined.replace(" | ", "\0").split("\0"))


RULES: tuple[tuple[Intent, re.Pattern[str]], ...] = tuple(
    (intent, re.compile(_alternatives(pattern)))
    for intent, pattern in (
        (Intent.STEER, remarks.STEER),
        (Intent.PAUSE, remarks.PAUSE),
        (Intent.STOP, _STOP),
        (Intent.SKIP, _SKIP),
        (Intent.HINT, _HINT),
        (Intent.REPHRASE, remarks.REPHRASE),
        (Intent.REPEAT, _REPEAT),
        (Intent.DISPUTE, remarks.DISPUTE),
        (Intent.THINKING, remarks.THINKING),
        (Intent.SMALL_TALK, _SMALL_TALK),
    )
)
NOT_KNOWING = re.compile(_alternatives(_NOT_KNOWING))
TENTATIVE = re.compile(_alternatives(_TENTATIVE))
ASKS_OF_THE_TASK = re.compile(_alternatives(_ASKS_OF_THE_TASK))

EXAMPLES: dict[Intent, tuple[str, ...]] = {
    **PROTOTYPES,
    Intent.STOP: (
        "I want to end the interview now",
        "let us stop here for today",
        "I have to leave, goodbye",
        "that is enough, finish the interview",
        "I do not want any more questions",
        "can we wrap this up and see my results",
    ),
    Intent.SKIP: (
        "let us skip this question",
        "give me the next question please",
        "I would rather go on to another question",
        "I cannot answer this one, move on",
        "I give up on this question",
        "ask me something else instead",
    ),
    Intent.HINT: (
        "can you give me a hint",
        "I am stuck, please help me",
        "I need a clue to get started",
        "point me in the right direction",
        "am I on the right track so far",
        "I do not know where to begin, help me a little",
    ),
    Intent.REPEAT: (
        "could you repeat the question",
        "I did not understand what you asked",
        "please say that again",
        "what was the question again",
        "I did not hear you",
    ),
    Intent.SMALL_TALK: (
        "lovely weather today, isn't it",
        "did you have a good weekend",
        "do you like being an interviewer, tell me a joke",
        "hello, how are you today",
        "thank you very much",
        "that is a tough question",
        "I am a bit nervous",
        "are you a real person",
    ),
    Intent.CLARIFY: (
        "am I allowed to use a library function for this?",
        "do you want code or an explanation?",
        "what exactly do you mean by that?",
        "should I handle invalid input?",
        "is the input a tensor or a number?",
        "does the function have to return something?",
        "which version are we talking about?",
        "how detailed should my answer be?",
        "what are the requirements and constraints?",
    ),
}
